import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const sources = pathToFileURL(resolve(import.meta.dirname, "../../src/fs/index.ts")).href;

/** What a test's own process cannot do: the rest is set up before the child's first line. */
export interface ChildOptions {
  /** A shell prefix that runs before Node, for example `ulimit -n 40;`. */
  readonly shell?: string;
  readonly nodeOptions?: readonly string[];
}

/** A child program: the face's functions are in scope, `argument` is what the test passed, `print` gives back JSON. */
export function childSource(body: string, argument: unknown): string {
  return [
    `import { openPinnedDirectory, statComponents } from ${JSON.stringify(sources)};`,
    `import { writeSync } from "node:fs";`,
    `const argument = ${JSON.stringify(argument)};`,
    "const print = (value) => writeSync(1, JSON.stringify(value) + '\\n');",
    "const errnoOf = (act) => { try { act(); return 'none'; } catch (error) { return error.errnoName ?? error.code; } };",
    "void openPinnedDirectory; void statComponents; void errnoOf;",
    body,
  ].join("\n");
}

/** Runs a child program to its end and returns what it printed last. A child that fails fails the test. */
export function runChild(body: string, argument: unknown, options: ChildOptions = {}): unknown {
  const node = [process.execPath, ...(options.nodeOptions ?? []), ...evaluate(body, argument)];
  const ended = spawnSync("/bin/sh", ["-c", `${options.shell ?? ""} exec "$@"`, "sh", ...node], { encoding: "utf8" });
  if (ended.status !== 0) throw new Error(`the child ended with ${ended.status ?? ended.signal}: ${ended.stderr}`);
  return JSON.parse(ended.stdout.trim().split("\n").at(-1) ?? "null");
}

/** Node's arguments for a child program, where a test starts it itself. */
export function evaluate(body: string, argument: unknown): readonly string[] {
  return ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", childSource(body, argument)];
}
