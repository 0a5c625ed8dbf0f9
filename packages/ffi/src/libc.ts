/** The C library of a Linux process, or `none` where the platform has only one. */
export type Libc = "glibc" | "musl" | "none";

/**
 * Reads the C library from Node's own diagnostic report: a Node linked against glibc names its version there.
 *
 * The report would look up every interface and open socket by name, which can take seconds and tells nothing here, so
 * that part is switched off meanwhile and put back as it was.
 */
export function readLibc(): Libc {
  if (process.platform !== "linux") return "none";
  // The types of Node 22 do not know the property yet, though every supported Node has it.
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  const before = report.excludeNetwork ?? false;
  report.excludeNetwork = true;
  try {
    return namesGlibc(report.getReport()) ? "glibc" : "musl";
  } finally {
    report.excludeNetwork = before;
  }
}

function namesGlibc(report: unknown): boolean {
  if (typeof report !== "object" || report === null || !("header" in report)) return false;
  const header = report.header;
  return (
    typeof header === "object" &&
    header !== null &&
    "glibcVersionRuntime" in header &&
    typeof header.glibcVersionRuntime === "string"
  );
}
