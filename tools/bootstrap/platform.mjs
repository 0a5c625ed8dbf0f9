/**
 * @returns {string} for example "linux-x64" or "linux-x64-musl". The published Node packages do not say that they are
 * linked against glibc, so npm would install one on a musl system, where it cannot start.
 */
export function platformKey() {
  const key = `${process.platform}-${process.arch}`;
  return process.platform === "linux" && !runsOnGlibc() ? `${key}-musl` : key;
}

/** Node reports the version of glibc it runs on, and nothing on any other C library. */
function runsOnGlibc() {
  const report = /** @type {{ excludeNetwork?: boolean }} */ (process.report);
  const before = report.excludeNetwork;
  // Without this the report looks up the name of every open connection, which can take seconds.
  report.excludeNetwork = true;
  try {
    const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
    return header.glibcVersionRuntime !== undefined;
  } finally {
    if (before !== undefined) report.excludeNetwork = before;
  }
}

/**
 * The two comparators that `engines.node` of this repository is written in; anything else in the range is an error and
 * not a guess.
 *
 * @param {string} version "24.21.0"
 * @param {string} range "^22.22.2 || >=26.0.0"
 */
export function satisfies(version, range) {
  const actual = numbers(version);
  return range.split("||").some((part) => {
    const match = /^\s*(\^|>=)(\d+\.\d+\.\d+)\s*$/.exec(part);
    if (match === null) throw new Error(`cannot read the Node range "${range}": expected "^x.y.z" and ">=x.y.z" only`);
    const floor = numbers(match[2] ?? "");
    if (match[1] === "^" && actual[0] !== floor[0]) return false;
    const difference = floor.map((number, index) => (actual[index] ?? 0) - number).find((one) => one !== 0) ?? 0;
    return difference >= 0;
  });
}

/** @param {string} version */
function numbers(version) {
  return version.split("-", 1).join("").split(".").map(Number);
}
