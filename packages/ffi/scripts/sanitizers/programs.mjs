// Which programs run, and on which runtime. All are plain Node programs: a test runner's own native code leaks and races.

const PHASES = ["open", "decode", "drain", "reporter-drain"];
const ENDINGS = [
  ["exit", "main", 7],
  ["uncaught", "main", 1],
  ["exit", "worker", 7],
  ["uncaught", "worker", 0],
  ["terminate", "worker", 0],
  ["exit", "both", 7],
  ["terminate", "both", 0],
  ["uncaught", "both", 0],
];

/** Runtimes that are defective in a way of their own. */
const DEFECTIVE = [
  "abi-and-symbols",
  "missing-dependency",
  "throws-on-open",
  "setter-refuses",
  "events-after-clear",
  "good",
];

/**
 * @param libraries gives the libraries of a fault runtime, as JSON
 * @param real the libraries, as JSON, and the model of a real runtime, where there is one
 */
export async function programs(libraries, real) {
  const good = await libraries("good");
  const cancellable = await libraries("cancellable");
  const faults = [];
  for (const variant of DEFECTIVE) {
    faults.push({ name: "faults", parameters: [await libraries(variant), variant], exitCode: 0 });
  }
  const endings = PHASES.flatMap((phase) =>
    ENDINGS.map(([ending, place, exitCode]) => ({
      name: "ending",
      parameters: [phase, ending, place, cancellable],
      exitCode,
    })),
  );
  return [
    { name: "every-file-entry", parameters: [], exitCode: 0 },
    { name: "every-entry", parameters: [cancellable], exitCode: 0 },
    ...["both-formats", "three-environments", "awaited", "idle"].map((name) => ({
      name,
      parameters: [good],
      exitCode: 0,
    })),
    ...faults,
    ...endings,
    ...(real === undefined
      ? []
      : [{ name: "every-entry-real", parameters: [real.libraries, real.model], exitCode: 0 }]),
  ];
}
