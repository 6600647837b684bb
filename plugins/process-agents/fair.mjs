// Fair: a process agent in Node. It plays what gains most charm at once, if the opponent chooses
// what gains it least. Protocol: docs/process-agents.md.
import { createInterface } from "node:readline";

let rules, kinds, moves, responses;
let worths; // of all moves: they depend on the rules alone

const SIDE = { actor: 1, opponent: -1, out: 0 };
const charmOf = (cards) => cards.reduce((sum, g) => sum + rules.charm[g], 0);

// What the actor gains if the groups in `taken` are chosen.
function gain(kind, values, taken) {
  return values.reduce(
    (sum, value, j) => sum + value * SIDE[taken.includes(j) ? kind.chosen_to : kind.rest_to],
    0,
  );
}

function worth(id) {
  const [k, groups] = moves[id];
  const kind = kinds[k];
  const values = groups.map(charmOf);
  if (kind.chooser === "nobody") return gain(kind, values, []);
  const outcomes = responses
    .filter(([of]) => of === k)
    .map(([, taken]) => gain(kind, values, taken));
  if (kind.chooser === "opponent") return Math.min(...outcomes);
  return outcomes.reduce((sum, value) => sum + value, 0) / outcomes.length;
}

// What a response gains; face down only the groups' sizes are known, and all are worth the same.
function worthOfResponse(id, offer) {
  const [k, taken] = responses[id - moves.length];
  const values = offer.map((counts) => counts.reduce((sum, n, g) => sum + n * rules.charm[g], 0));
  return -gain(kinds[k], values, taken);
}

function decide({ responding, offer, legal, word }) {
  const gains = legal.map((id) => (responding ? worthOfResponse(id, offer) : worths[id]));
  const most = Math.max(...gains);
  const equal = legal.filter((_, i) => gains[i] === most);
  return equal[Number(BigInt("0x" + word) % BigInt(equal.length))]; // all its randomness
}

function answer(message) {
  if (message.type === "hello") {
    ({ rules, kinds, moves, responses } = message);
    worths = moves.map((_, id) => worth(id));
    return { type: "ready", protocol: 1 };
  }
  return { type: "answers", number: message.number, ids: message.decisions.map(decide) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "bye") break;
  process.stdout.write(JSON.stringify(answer(message)) + "\n");
}
