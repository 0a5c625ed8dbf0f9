import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { compileOnce } from "../harness/compile.ts";
import { BenchError } from "../harness/error.ts";

/** What the C program does and does not do, for the detail of a result. */
export const PEER_DOES =
  "lock, flock, create, write, fsync, link, fsync of the directory, unlink; names are given to it, it hashes and checks nothing";

/** The C program of native/bench/put.cc at work in one directory. It is one process: starting it is part of no block. */
export class PeerProgram implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #complaint = "";

  /** @throws BenchError `NOT_BUILT` */
  constructor(directory: string) {
    const program = compileOnce({ name: "put", kind: "program", sources: ["bench/put.cc"] });
    mkdirSync(directory, { mode: 0o700 });
    this.#child = spawn(program, [directory]);
    this.#child.stderr.on("data", (piece: Buffer) => (this.#complaint += piece.toString()));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Stores contents one by one, or in its batches, and says how many milliseconds that took once it had them all. */
  async run(command: "put" | "batch", contents: readonly Uint8Array[]): Promise<number> {
    const names = contents.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
    const header = `${command} ${contents.length} ${contents[0]?.length ?? 0}\n`;
    const body = contents.flatMap((bytes, index) => [Buffer.from(names[index] ?? ""), bytes]);
    this.#child.stdin.write(Buffer.concat([Buffer.from(header), ...body]));
    const line = await this.#lines.next();
    if (line.done === true) {
      throw new BenchError({
        code: "PEER_FAILED",
        message: `the C program ended: ${this.#complaint || "it says nothing"}`,
      });
    }
    return Number(line.value) / 1e6;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdin.end();
    await ended;
  }
}
