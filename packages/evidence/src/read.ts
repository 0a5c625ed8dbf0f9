import { parseFacts, type RunFacts } from "./facts.ts";
import { readBounded } from "./file.ts";
import { FILE_BYTES_MAX, LINES_MAX } from "./limits.ts";
import { FACT_PREFIX, isStepName, parseLine, type Marker } from "./line.ts";
import type { EvidenceState, Unreadable } from "./state.ts";

/** Says what an evidence file says. Never throws for what the file holds: anything but evidence is `unreadable`. */
export function readEvidence(path: string): EvidenceState {
  const content = readBounded(path);
  switch (content.kind) {
    case "absent":
      return { state: "absent" };
    case "unreadable":
      return unreadable(content.reason);
    case "bytes":
      return parseEvidence(content.bytes);
  }
}

/**
 * Reads the bytes of an evidence file. The grammar is closed: what the writer would not have written is refused.
 *
 * @param bytes of any content; attacker-controlled
 */
export function parseEvidence(bytes: Uint8Array): EvidenceState {
  if (bytes.length > FILE_BYTES_MAX) return unreadable(`it is longer than ${FILE_BYTES_MAX} bytes`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return unreadable("it is not UTF-8");
  }
  if (!text.endsWith("\n")) return unreadable(text === "" ? "it is empty" : "its last line is cut");
  const [first = "", ...rest] = text.slice(0, -1).split("\n");
  if (rest.length >= LINES_MAX) return unreadable(`it has more than ${LINES_MAX} lines`);
  return first === "executed" ? parseRun({ state: "executed" }, rest) : parseStated(first, rest);
}

/** @param first the first line, which is not `executed` */
function parseStated(first: string, rest: readonly string[]): EvidenceState {
  const header = parseLine(first);
  if (header === undefined) return noState(first);
  switch (header.name) {
    case "blocked":
    case "blocked-when-ungated":
      return rest.length === 0
        ? { state: header.name, reason: header.value }
        : unreadable(`there are lines after "${header.name}", which stands alone`);
    case "failed":
      return parseRun({ state: "failed", reason: header.value }, rest);
    case "running":
      return parseRunning(header.value, rest);
    default:
      return noState(first);
  }
}

type FinalHeader = { readonly state: "executed" } | { readonly state: "failed"; readonly reason: string };

function parseRun(header: FinalHeader, lines: readonly string[]): EvidenceState {
  const body = parseBody(lines);
  if ("state" in body) return body;
  const { facts, steps } = body;
  if (facts.ended === undefined) return unreadable("the run has no end time");
  if (facts.ended < facts.started) return unreadable("the run ends before it starts");
  if (header.state === "executed" && steps.length === 0) return unreadable("it says executed and has no step");
  return { ...header, facts, steps };
}

function parseRunning(id: string, lines: readonly string[]): EvidenceState {
  const body = parseBody(lines);
  if ("state" in body) return body;
  const { facts, steps } = body;
  if (steps.length > 0 || facts.ended !== undefined) return unreadable("a run that is running has results");
  return facts.id === id ? { state: "running", facts } : unreadable("its first line and run-id differ");
}

function parseBody(lines: readonly string[]): { facts: RunFacts; steps: Marker[] } | Unreadable {
  const markers: Marker[] = [];
  for (const [index, line] of lines.entries()) {
    const marker = parseLine(line);
    // The first line of the file is line 1, so the first of these is line 2.
    if (marker === undefined) return unreadable(`line ${index + 2} is no marker line`);
    markers.push(marker);
  }
  const boundary = markers.findIndex((one) => one.name.startsWith(FACT_PREFIX));
  const steps = boundary < 0 ? markers : markers.slice(0, boundary);
  const misnamed = steps.find((one) => !isStepName(one.name));
  if (misnamed !== undefined) return unreadable(`"${misnamed.name}" stands where only steps may`);
  const parsed = parseFacts(boundary < 0 ? [] : markers.slice(boundary));
  if ("problem" in parsed) return unreadable(parsed.problem);
  if (parsed.steps !== steps.length) {
    return unreadable(`it says ${parsed.steps} steps and has ${steps.length}`);
  }
  return { facts: parsed.facts, steps };
}

function noState(first: string): Unreadable {
  return unreadable(`its first line is no state: ${JSON.stringify(first.slice(0, 80))}`);
}

function unreadable(reason: string): Unreadable {
  return { state: "unreadable", reason };
}
