import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The built command: tests run what people run. */
const CLI = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
if (!existsSync(CLI)) throw new Error(`${CLI} is missing: build the package before its tests`);

/** One step that the command reported. */
export type Step = { readonly step: string } & Readonly<Record<string, unknown>>;

/** How one run of the command ended. */
export interface MeshRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The steps of a run with `--json`, each line parsed. */
  readonly steps: readonly Step[];
  /** The one error of a run with `--json`. */
  readonly error: Step | undefined;
}

/** What a run is given besides its arguments. */
export interface MeshOptions {
  /** Octal digits of the umask that the command is started under. */
  readonly umask?: string;
  /** Called once, when the command asks; what it returns is written to the standard input. */
  readonly answer?: () => Promise<string>;
  readonly json?: boolean;
}

/** Runs `mesh` in a process of its own. */
export async function mesh(args: readonly string[], options: MeshOptions = {}): Promise<MeshRun> {
  const json = options.json ?? true;
  const command = [process.execPath, CLI, ...args, ...(json ? ["--json"] : [])];
  // The shell is there for its umask alone: changing that of a test process would change it for every test in it.
  const child = spawn("sh", ["-c", `umask ${options.umask ?? "022"}; exec "$@"`, "sh", ...command], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", GGML_NO_BACKTRACE: "1" },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const answered = options.answer === undefined ? Promise.resolve("") : answerWhenAsked(child.stderr, options.answer);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  child.stdin.end(await Promise.race([answered, ended.then(() => "")]));
  const status = await ended;
  const steps = json ? stdout.split("\n").filter(Boolean).map(parseStep) : [];
  return { status, stdout, stderr, steps, error: steps.find(({ step }) => step === "error") };
}

function answerWhenAsked(stderr: NodeJS.ReadableStream, answer: () => Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    stderr.once("data", () => {
      answer().then(resolve, reject);
    });
  });
}

/** A line that is no step is a defect of `--json`, and fails the test here. */
function parseStep(line: string): Step {
  const value: unknown = JSON.parse(line);
  if (typeof value !== "object" || value === null || !("step" in value) || typeof value.step !== "string") {
    throw new Error(`not a step: ${line}`);
  }
  return { ...value, step: value.step };
}

/** Runs a body with a new private folder, and removes it afterwards. */
export async function inFolder<Result>(body: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "mesh-host-")));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
