import { randomUUID } from "node:crypto";
import { EvidenceError, firstLine } from "./error.ts";
import { factLines, type EvidenceSubject, type RunFacts } from "./facts.ts";
import { replaceFile } from "./file.ts";
import { LINES_MAX } from "./limits.ts";
import { formatLine, formatStep } from "./line.ts";
import { readEvidence } from "./read.ts";

/** What a run is about. */
export interface EvidenceRun {
  /** The evidence file; its folder must exist. */
  readonly file: string;
  /** The command that ran, without secrets: it is written as it is given. */
  readonly command: string;
  /** Versions beside those of Node and the platform, which are always noted. */
  readonly versions?: Readonly<Record<string, string>>;
  /** What is tested, by digest: see {@link digestSubject}. */
  readonly subjects?: readonly EvidenceSubject[];
  /** The clock; for tests. */
  readonly now?: () => Date;
}

/**
 * The evidence of one run. The file says `running` from the start on and is replaced, whole and synced, by the final state,
 * so that an earlier `executed` cannot survive a run that fails, is blocked or is killed. Steps are kept in memory: nothing
 * but {@link flushExecuted} ever writes the word `executed`.
 */
export class Evidence {
  readonly #run: EvidenceRun;
  readonly #facts: RunFacts;
  readonly #steps: string[] = [];
  #finished = false;

  private constructor(run: EvidenceRun) {
    this.#run = run;
    this.#facts = {
      id: randomUUID(),
      process: process.pid,
      started: this.#now(),
      ended: undefined,
      command: run.command,
      versions: { node: process.version, platform: `${process.platform}-${process.arch}`, ...run.versions },
      subjects: run.subjects ?? [],
    };
  }

  /**
   * Begins a run: replaces whatever is in the file by the start marker.
   *
   * @throws EvidenceError INVALID_MARKER, EVIDENCE_TOO_LARGE, NOT_A_FILE, WRITE_FAILED
   */
  static start(run: EvidenceRun): Evidence {
    const evidence = new Evidence(run);
    const lines = [formatLine("running", evidence.runId), ...factLines(evidence.#facts, 0)];
    evidence.#checkLineCount(lines.length);
    replaceFile(run.file, `${lines.join("\n")}\n`);
    return evidence;
  }

  /** This run's identity, in the start marker and in the final file. */
  get runId(): string {
    return this.#facts.id;
  }

  /**
   * Notes what a step established. Nothing is written before the run ends.
   *
   * @param name lower-case letters, digits and single hyphens; not a name of the format itself
   * @param value text of any content: unsafe characters are escaped and a too long value is cut
   * @throws EvidenceError INVALID_MARKER, EVIDENCE_FINISHED, EVIDENCE_TOO_LARGE
   */
  record(name: string, value: string): void {
    this.#checkUnfinished();
    const line = formatStep(name, value);
    this.#checkLineCount(this.#fixedLineCount() + this.#steps.length + 1);
    this.#steps.push(line);
  }

  /**
   * Says that every step passed.
   *
   * @throws EvidenceError EVIDENCE_EMPTY without a step, EVIDENCE_TAKEN when the file holds another run's marker,
   *   EVIDENCE_FINISHED, NOT_A_FILE, WRITE_FAILED; the file then still does not say `executed`
   */
  flushExecuted(): void {
    if (this.#steps.length === 0) {
      throw new EvidenceError({
        code: "EVIDENCE_EMPTY",
        message: "no step was recorded, so nothing was executed; record each step as it passes",
        path: this.#run.file,
      });
    }
    this.#finish("executed");
  }

  /**
   * Says that a step failed, and what the steps before it had established.
   *
   * @param reason the failure; the first line of its message is kept
   * @throws EvidenceError EVIDENCE_TAKEN, EVIDENCE_FINISHED, NOT_A_FILE, WRITE_FAILED
   */
  flushFailed(reason: unknown): void {
    this.#finish(formatLine("failed", firstLine(reason)));
  }

  #finish(header: string): void {
    this.#checkUnfinished();
    this.#checkOwnership();
    const facts = factLines({ ...this.#facts, ended: this.#now() }, this.#steps.length);
    replaceFile(this.#run.file, `${[header, ...this.#steps, ...facts].join("\n")}\n`);
    this.#finished = true;
  }

  /**
   * Two runs on one file: the later start marker wins, and the earlier run fails here. A start marker that slips in between
   * this look and the rename is overwritten, and its run then finds a final state instead of its marker and fails in turn. So
   * one of the two is told, whatever the order.
   */
  #checkOwnership(): void {
    const found = readEvidence(this.#run.file);
    if (found.state === "running" && found.facts.id === this.runId) return;
    throw new EvidenceError({
      code: "EVIDENCE_TAKEN",
      message: `${this.#run.file} no longer holds the start marker of this run: expected running ${this.runId}, found ${found.state}; give each run a file of its own`,
      path: this.#run.file,
      expected: this.runId,
      found: found.state === "running" ? found.facts.id : found.state,
    });
  }

  #checkUnfinished(): void {
    if (!this.#finished) return;
    throw new EvidenceError({
      code: "EVIDENCE_FINISHED",
      message: "this run has already written its final state",
      path: this.#run.file,
    });
  }

  #checkLineCount(count: number): void {
    if (count <= LINES_MAX) return;
    throw new EvidenceError({
      code: "EVIDENCE_TOO_LARGE",
      message: `an evidence file has at most ${LINES_MAX} lines; summarise what is recorded in fewer`,
      path: this.#run.file,
    });
  }

  /** The first line, and the facts of a run that has ended. */
  #fixedLineCount(): number {
    return 1 + factLines({ ...this.#facts, ended: this.#facts.started }, 0).length;
  }

  #now(): Date {
    return (this.#run.now ?? (() => new Date()))();
  }
}
