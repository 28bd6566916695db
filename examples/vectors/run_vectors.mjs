// Check an implementation of group-relative objectives against test vectors. Node, without packages.
//
//   grpocheck vectors vectors.json
//   node run_vectors.mjs vectors.json                      the implementation below, in doubles
//   node run_vectors.mjs vectors.json --variant dr-grpo    one method alone
//   node run_vectors.mjs vectors.json --fault sample-std   a mistake put in on purpose, to see it found
//
// To check your own, put it in place of `evaluate` and `divergence`. Exit status: 0 all pass, 1 some fail, 2 bad input.

import { readFileSync } from "node:fs";

const SCHEMA = "grpocheck-vectors/1";
const TOLERANCE = 1e-9; // relative to the number, or to the case's floor where that is larger
const FAULTS = ["sample-std"]; // divides the squared deviations by G - 1

class MissingReward extends Error {}

/** A number of the file: "3/5", "12" or "1.2e-3". */
function number(text) {
  const [numerator, denominator] = text.split("/");
  return denominator === undefined ? Number(numerator) : Number(numerator) / Number(denominator);
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => sum(values) / values.length;

// An implementation in doubles. ---------------------------------------------------------------------------------------

/** The standard deviation that a rule divides by: 0 where all values are equal, whatever their mean in doubles is. */
function deviation(values, rule, fault) {
  let squares = 0;
  if (values.some((value) => value !== values[0])) {
    const centre = mean(values);
    squares = sum(values.map((value) => (value - centre) ** 2));
  }
  const lost = rule.divisor.endsWith("sample") || fault === "sample-std" ? 1 : 0;
  return Math.sqrt(Math.max(squares / Math.max(1, values.length - lost), number(rule.floor)));
}

/** (R - baseline) / (deviation + epsilon), row by row; 0 where the divisor is 0. */
function normalised(rows, rule, fault) {
  const everything = rows.flat();
  return rows.map((row) => {
    let differences = row;
    if (rule.baseline === "mean") {
      differences = row.map((value) => value - mean(row));
    } else if (rule.baseline === "leave-one-out") {
      differences = row.map((value) => sum(row.map((other) => value - other)) / (row.length - 1));
    } else if (rule.baseline === "batch-mean") {
      differences = row.map((value) => value - mean(everything));
    }
    if (rule.divisor === "none") return differences;
    const values = rule.divisor.startsWith("batch") ? everything : row;
    const divisor = deviation(values, rule, fault) + number(rule.epsilon);
    return differences.map((difference) => (divisor > 0 ? difference / divisor : 0));
  });
}

/** [group][response]; a rule `first` normalises each reward function before their sum. */
function advantages(variant, groups, fault) {
  const rewards = groups.map((group) => group.responses.map((response) => response.rewards));
  if (rewards.flat(2).includes(null)) throw new MissingReward();
  const rule = variant.advantage;
  const columns = rewards[0][0].map((_, k) => {
    const column = rewards.map((rows) => rows.map((row) => number(row[k])));
    return rule.first === null ? column : normalised(column, rule.first, fault);
  });
  const totals = rewards.map((rows, g) => rows.map((_, i) => sum(columns.map((column) => column[g][i]))));
  return normalised(totals, rule, fault);
}

/** log of the ratio that each active token's term is made with; null for a token that is not active. */
function logRatios(tokens, level) {
  const own = tokens.map((t) => (t.active ? Math.log(number(t.current)) - Math.log(number(t.old)) : null));
  const active = own.filter((value) => value !== null);
  if (level === "token" || active.length === 0) return own;
  const whole = sum(active) / (level === "geometric-mean" ? active.length : 1);
  return own.map((value) => (value === null ? null : whole));
}

/** Between which numbers a clip holds the ratio; null where it holds nothing. */
function bounds(term, positive, epsilon) {
  const low = term.low == null ? epsilon : number(term.low);
  const high = term.high == null ? epsilon : number(term.high);
  switch (term.kind) {
    case "unclipped":
      return [null, null];
    case "upper-cap":
      return [null, 1 + high];
    case "two-sided":
      return positive ? [null, 1 + high] : [1 - low, null];
    case "dual-clip":
      return positive ? [null, 1 + high] : [1 - low, number(term.cap)];
    case "delta":
      return positive
        ? [null, Math.min(1 + high, number(term.delta))]
        : [1 - low, Math.max(1 + high, number(term.delta))];
    default:
      throw new Error(`term ${term.kind}: not known here`);
  }
}

/** The value of a term and its slope in the ratio. */
function surrogate(term, ratio, advantage, epsilon) {
  if (term.kind === "soft-gate") {
    const tau = number(advantage > 0 ? term.positive : term.negative);
    const gate = 1 / (1 + Math.exp(tau * (1 - ratio)));
    return [(4 / tau) * gate * advantage, 4 * gate * (1 - gate) * advantage];
  }
  const [lower, upper] = bounds(term, advantage > 0, epsilon);
  if (lower !== null && ratio < lower) return [lower * advantage, 0];
  if (upper !== null && ratio > upper) return [upper * advantage, 0];
  return [ratio * advantage, advantage];
}

/** The weight of A grad log pi, for terms whose weight is not differentiated; null for all others. */
function detachedWeight(term, ratio, advantage, epsilon) {
  switch (term.kind) {
    case "score":
      return 1;
    case "capped-score":
      return Math.min(ratio, 1 + (term.high === null ? epsilon : number(term.high)));
    case "clipped-weight":
      return Math.min(Math.max(ratio, term.floor === null ? 0 : number(term.floor)), number(term.cap));
    case "gamma-weight": {
      const sign = advantage < 0 ? "negative" : "positive";
      return ratio ** term[`${sign}_power`] * Math.exp(number(term[`${sign}_rate`]) * (1 - ratio));
    }
    default:
      return null;
  }
}

/** [group][response]: the weight of each token term. */
function responseWeights(variant, batch) {
  const lengths = batch.groups.map((g) => g.responses.map((r) => r.tokens.filter((token) => token.active).length));
  const every = Math.max(1, sum(lengths.flat()));
  const { own_length: ownLength, per } = variant.normalisation;
  return lengths.map((group) => {
    let share = 1 / (lengths.length * group.length);
    if (per === "maximum-length") share /= batch.maximum_length;
    else if (per === "all-tokens") share = 1 / every;
    else if (per !== "none") throw new Error(`normalisation ${per}: not known here`);
    return group.map((length) => (ownLength ? share / Math.max(1, length) : share));
  });
}

/** k1, k2 or k3 of log(pi/pi_ref), and its derivative by log pi. */
function estimates(kind, logRatio) {
  if (kind === "k1") return [logRatio, 1];
  if (kind === "k2") return [logRatio ** 2 / 2, logRatio];
  return [Math.exp(-logRatio) - 1 + logRatio, 1 - Math.exp(-logRatio)];
}

/** What the vectors expect of a variant on a batch. */
function evaluate(variant, batch, fault) {
  const { term, kl, ratio: level } = variant;
  const epsilon = number(batch.epsilon);
  const beta = number(batch.beta);
  const responses = sum(batch.groups.map((group) => group.responses.length));
  const sampled = kl !== "none" && kl !== "exact";
  const detached = detachedWeight(term, 1, 1, epsilon) !== null;
  const weights = responseWeights(variant, batch);
  const found = { advantages: advantages(variant, batch.groups, fault), ratios: [], terms: [], gradient: [], kl: [] };
  let objective = 0;
  batch.groups.forEach((group, g) => {
    for (const key of ["ratios", "terms", "gradient", "kl"]) found[key].push([]);
    group.responses.forEach((response, i) => {
      const advantage = found.advantages[g][i];
      const weight = weights[g][i];
      const ratios = logRatios(response.tokens, level).map((value) => (value === null ? null : Math.exp(value)));
      const length = response.tokens.filter((token) => token.active).length;
      let total = 0;
      const divergences = response.tokens.map(() => null);
      const slopes = response.tokens.map((token, h) => {
        if (!token.active) return 0;
        let slope = 0;
        if (detached) {
          slope += weight * detachedWeight(term, ratios[h], advantage, epsilon) * advantage;
        } else {
          const [value, inRatio] = surrogate(term, ratios[h], advantage, epsilon);
          total += weight * value;
          // the ratio of a sequence moves with all of its tokens, a geometric mean with 1/length of each
          slope += weight * inRatio * ratios[h] * (level === "sequence" ? length : 1);
        }
        if (sampled) {
          const [value, derivative] = estimates(kl, Math.log(number(token.current)) - Math.log(number(token.reference)));
          divergences[h] = value;
          objective -= beta * weight * value;
          slope -= beta * weight * derivative;
        }
        return slope;
      });
      objective += total;
      found.ratios[g].push(ratios);
      found.terms[g].push(total * responses);
      found.gradient[g].push(slopes);
      found.kl[g].push(divergences);
    });
  });
  if (kl === "exact") objective -= beta * mean(batch.groups.map((group) => number(group.divergence)));
  return {
    ...found,
    kl: sampled ? found.kl : null,
    terms: detached ? null : found.terms,
    objective: detached ? null : objective,
  };
}

/** log of the masses; of logits with the largest taken off first. */
function logMasses(givenAs, entries) {
  const numbers = entries.map(number);
  if (givenAs === "masses") return numbers.map(Math.log);
  const largest = Math.max(...numbers);
  const whole = largest + Math.log(sum(numbers.map((entry) => Math.exp(entry - largest))));
  return numbers.map((entry) => entry - whole);
}

/** What the vectors expect of two policies on one support. */
function divergence(given) {
  const logs = logMasses(given.given_as, given.current);
  const reference = logMasses(given.given_as, given.reference);
  const masses = logs.map(Math.exp);
  const ratios = logs.map((log, j) => log - reference[j]);
  // q - p sums to 0 and keeps what p log(p/q) loses to rounding where p and q are nearly equal
  const kl = sum(masses.map((p, j) => p * ratios[j] + (Math.exp(reference[j]) - p)));
  return {
    log_masses: logs,
    kl,
    kl_gradient_by_logits: masses.map((p, j) => p * (ratios[j] - kl)),
    entropy: -sum(masses.map((p, j) => p * logs[j])),
    ...Object.fromEntries(["k1", "k2", "k3"].map((kind) => [kind, ratios.map((ratio) => estimates(kind, ratio)[0])])),
  };
}

// The comparison. -----------------------------------------------------------------------------------------------------

/** Whether a number is the expected one; beyond the doubles it has to be infinite. */
function close(got, want, floor) {
  if (!Number.isFinite(want)) return got === want;
  return Math.abs(got - want) <= TOLERANCE * Math.max(Math.abs(want), floor);
}

const shown = (value) => (typeof value === "number" ? String(Number(value.toPrecision(12))) : JSON.stringify(value));

/** What differs, in words. */
function differences(want, got, floor, path) {
  if (want !== null && want.between !== undefined) {
    const [lower, upper] = want.between.map(number);
    const slack = TOLERANCE * Math.max(Math.abs(lower), Math.abs(upper), floor);
    if (typeof got === "number" && lower - slack <= got && got <= upper + slack) return [];
    return [`${path}: got ${shown(got)}, expected a number from ${shown(lower)} to ${shown(upper)}: there is a kink`];
  }
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) {
      return [`${path}: got ${shown(got)}, expected ${want.length} entries`];
    }
    return want.flatMap((entry, place) => differences(entry, got[place], floor, `${path}[${place}]`));
  }
  if (want === null || typeof got !== "number") {
    return want === got ? [] : [`${path}: got ${shown(got)}, expected ${shown(want)}`];
  }
  return close(got, number(want), floor) ? [] : [`${path}: got ${shown(got)}, expected ${shown(number(want))}`];
}

/** What differs of a case's outputs, in words. */
function compared(theCase, want, got) {
  if (want.error !== undefined || got.error !== undefined) {
    if (want.error === got.error) return [];
    return [`got ${got.error ?? "numbers"}, expected ${want.error ?? "numbers"}`];
  }
  const lines = Object.entries(want).flatMap(([key, value]) =>
    differences(value, got[key] ?? null, number(theCase.floors[key] ?? theCase.floor), key),
  );
  if (lines.length > 0) lines[0] += guess(want, got);
  return lines;
}

/** A mistake that would explain the advantages, if one does. */
function guess(want, got) {
  for (const [g, wanted] of (want.advantages ?? []).entries()) {
    const shrunk = wanted.map((value) => number(value) * Math.sqrt((wanted.length - 1) / wanted.length));
    if (shrunk.some((value) => value !== 0) && shrunk.every((value, i) => close(got.advantages?.[g]?.[i], value, 1))) {
      return " (off by sqrt((G-1)/G): a sample deviation in place of the population's?)";
    }
  }
  return "";
}

/** [case, variant or null, what differs] of every comparison. */
function* outcomes(document, only, fault) {
  const variants = new Map(document.variants.map((variant) => [variant.name, variant]));
  for (const theCase of document.cases) {
    if (theCase.kind === "divergence") {
      if (only === null) yield [theCase, null, compared(theCase, theCase.expected, divergence(theCase.input))];
      continue;
    }
    for (const [name, want] of Object.entries(theCase.expected)) {
      if (only !== null && only !== name) continue;
      let got;
      try {
        got = evaluate(variants.get(name), theCase.input, fault);
      } catch (error) {
        if (!(error instanceof MissingReward)) throw error;
        got = { error: "missing-reward" };
      }
      yield [theCase, name, compared(theCase, want, got)];
    }
  }
}

/** The options of the command line; throws an Error that says what is wrong with them. */
function options(words) {
  const read = { file: null, variant: null, fault: null };
  for (let place = 0; place < words.length; place += 1) {
    const word = words[place];
    if (word === "--variant" || word === "--fault") {
      place += 1;
      if (words[place] === undefined) throw new Error(`${word}: a value is missing`);
      read[word.slice(2)] = words[place];
    } else if (word.startsWith("-") || read.file !== null) {
      throw new Error(`${word}: expected FILE [--variant NAME] [--fault ${FAULTS.join("|")}]`);
    } else {
      read.file = word;
    }
  }
  if (read.file === null) throw new Error("expected the file that grpocheck vectors wrote");
  if (read.fault !== null && !FAULTS.includes(read.fault)) throw new Error(`--fault ${read.fault}: expected ${FAULTS}`);
  return read;
}

/** The file of the options, with its schema and the variant that was asked for checked. */
function readDocument({ file, variant }) {
  const document = JSON.parse(readFileSync(file, "utf-8"));
  if (document.schema !== SCHEMA) throw new Error(`${file}: schema ${document.schema}, expected ${SCHEMA}`);
  const known = document.variants.map((entry) => entry.name);
  if (variant !== null && !known.includes(variant)) {
    throw new Error(`no variant ${variant}, expected one of ${known.join(", ")}`);
  }
  return document;
}

/** Run all and report; the exit status. */
function main(words) {
  let read;
  let document;
  try {
    read = options(words);
    document = readDocument(read);
  } catch (error) {
    console.error(error.message);
    return 2;
  }
  let passed = 0;
  let failed = 0;
  for (const [theCase, variant, wrong] of outcomes(document, read.variant, read.fault)) {
    if (wrong.length === 0) {
      passed += 1;
      continue;
    }
    failed += 1;
    console.log(`FAIL ${theCase.id}${variant === null ? "" : ` / ${variant}`}: ${wrong[0]}`);
    if (wrong.length > 1) console.log(`     and ${wrong.length - 1} more; the case: ${theCase.about}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
