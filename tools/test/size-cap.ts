import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT, filesBelow } from "./workspace.ts";

/** A longer source file has more than one job. */
export const SOURCE_LINES_MAX = 300;

const SOURCE = /\.(?:ts|mts|cts|mjs|cjs|js|cc|cpp|c|h|hpp)$/;
/** Tests are long lists of cases by nature, and fixtures are data. */
const NOT_CAPPED = /\/(?:test|fixtures|bench)\//;

/** @returns one line per source file that is over the cap */
export function filesOverCap(root = ROOT): string[] {
  const files = ["packages", "native", "tools"].flatMap((folder) => filesBelow(folder, root));
  return files
    .filter((file) => SOURCE.test(file) && (!NOT_CAPPED.test(file) || file.startsWith("tools/test/")))
    .map((file) => ({ file, lines: countLines(readFileSync(path.join(root, file), "utf8")) }))
    .filter(({ lines }) => lines > SOURCE_LINES_MAX)
    .map(({ file, lines }) => `${file}: ${lines} lines, at most ${SOURCE_LINES_MAX} allowed; split it by meaning`);
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
