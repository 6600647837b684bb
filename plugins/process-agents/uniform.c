/* Uniform: a process agent in C that plays any legal move. It reads the raw arrays of
   format = "binary"; protocol: docs/process-agents.md. Little-endian machines only.

       cc -O2 -o uniform uniform.c                                                            */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    uint32_t decisions, ids;
    uint64_t number;
};

static void *room(size_t bytes) {
    static void *buffer;
    static size_t size;
    if (bytes > size) {
        buffer = realloc(buffer, size = bytes);
        if (buffer == NULL) exit(1);
    }
    return buffer;
}

/* The hello is a line of JSON. All that is wanted of it is F, the integers in a view. */
static long view_size(void) {
    char *line = NULL;
    size_t size = 0;
    if (getline(&line, &size, stdin) < 0) exit(0);
    const char *found = strstr(line, "\"view\":{\"size\":");
    if (found == NULL) {
        fprintf(stderr, "uniform speaks format = \"binary\" only\n");
        exit(2);
    }
    long view = atol(found + strlen("\"view\":{\"size\":"));
    free(line);
    return view;
}

int main(void) {
    long view = view_size();
    printf("{\"type\":\"ready\",\"protocol\":1}\n");
    fflush(stdout);
    struct header head;
    while (fread(&head, sizeof head, 1, stdin) == 1 && head.decisions > 0) {
        size_t n = head.decisions;
        size_t views = 4 * n * view;
        size_t bytes = views + 8 * (n + n + 1 + head.ids);
        char *body = room(bytes);
        if (fread(body, bytes, 1, stdin) != 1) break;
        const uint64_t *words = (const uint64_t *)(body + views);
        const int64_t *offsets = (const int64_t *)(words + n);
        const int64_t *ids = offsets + n + 1;
        fwrite(&head.number, sizeof head.number, 1, stdout);
        for (size_t i = 0; i < n; i++) {
            uint64_t legal = offsets[i + 1] - offsets[i];
            int32_t choice = ids[offsets[i] + (words[i] >> 32) * legal / 4294967296u];
            fwrite(&choice, sizeof choice, 1, stdout);
        }
        fflush(stdout);
    }
    return 0;
}
