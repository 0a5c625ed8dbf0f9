import { FACT_PREFIX, formatLine, type Marker } from "./line.ts";

/** What was tested: a file bound by its digest. */
export interface EvidenceSubject {
  /** A name without any machine's folders in it, for example "libllama.so". */
  readonly name: string;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Who ran what on what, and when. */
export interface RunFacts {
  /** A random UUID: the run's identity while its start marker is in the file. */
  readonly id: string;
  readonly process: number;
  readonly started: Date;
  /** Undefined while the run has not ended. */
  readonly ended: Date | undefined;
  readonly command: string;
  /** For example `{ node: "v24.21.0" }`. */
  readonly versions: Readonly<Record<string, string>>;
  readonly subjects: readonly EvidenceSubject[];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const COUNT = /^(?:0|[1-9]\d{0,15})$/;
const SUBJECT = /^sha256:([0-9a-f]{64}) (0|[1-9]\d{0,15}) (.+)$/u;
const VERSION = /^([^=]+)=(.+)$/u;

/** The lines that close a file; `run-steps` is last and says how many step lines there must be, so that a cut shows. */
export function factLines(facts: RunFacts, steps: number): string[] {
  return [
    formatLine("run-id", facts.id),
    formatLine("run-process", String(facts.process)),
    formatLine("run-started", facts.started.toISOString()),
    ...(facts.ended === undefined ? [] : [formatLine("run-ended", facts.ended.toISOString())]),
    formatLine("run-command", facts.command),
    ...Object.entries(facts.versions).map(([name, version]) => formatLine("run-version", `${name}=${version}`)),
    ...facts.subjects.map((one) => formatLine("run-subject", `sha256:${one.sha256} ${one.size} ${one.name}`)),
    formatLine("run-steps", String(steps)),
  ];
}

/**
 * Reads the facts back. Strict: an unknown name, a second `run-id`, another order or form is a reason to refuse the file,
 * because nothing but this package's own writer makes one.
 *
 * @returns the facts and the step count the file claims, or why they cannot be believed
 */
export function parseFacts(markers: readonly Marker[]): { facts: RunFacts; steps: number } | { problem: string } {
  const rest = [...markers];
  const take = (name: string, form: RegExp): string | undefined => {
    const next = rest[0];
    if (next?.name !== FACT_PREFIX + name || !form.test(next.value)) return undefined;
    rest.shift();
    return next.value;
  };
  const id = take("id", UUID);
  const process = take("process", COUNT);
  const started = time(take("started", TIME));
  const ended = time(take("ended", TIME));
  const command = take("command", /./u);
  if (id === undefined || process === undefined || started === undefined || command === undefined) {
    return { problem: `the facts of the run are incomplete or wrong at ${describe(rest[0])}` };
  }
  const versions: Record<string, string> = {};
  for (let one = take("version", VERSION); one !== undefined; one = take("version", VERSION)) {
    const [, name = "", version = ""] = VERSION.exec(one) ?? [];
    Object.defineProperty(versions, name, { value: version, enumerable: true });
  }
  const subjects: EvidenceSubject[] = [];
  for (let one = take("subject", SUBJECT); one !== undefined; one = take("subject", SUBJECT)) {
    const [, sha256 = "", size = "", name = ""] = SUBJECT.exec(one) ?? [];
    subjects.push({ name, sha256, size: Number(size) });
  }
  const steps = take("steps", COUNT);
  if (steps === undefined || rest.length > 0) {
    return { problem: `the file does not close with its step count: found ${describe(rest[0])}` };
  }
  return {
    facts: { id, process: Number(process), started, ended, command, versions, subjects },
    steps: Number(steps),
  };
}

/** Undefined for a date that is well-formed and does not exist, such as 30 February. */
function time(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined;
}

function describe(marker: Marker | undefined): string {
  return marker === undefined ? "the end of the file" : `"${marker.name}: ${marker.value.slice(0, 60)}"`;
}
