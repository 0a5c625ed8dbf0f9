/** The fields of one event that a script sends as it is; all numbers as they are on the wire. */
export interface RawEventFields {
  readonly abi?: number;
  /** Declared size of the struct; the memory ends there. */
  readonly size?: number;
  readonly kind?: number;
  readonly category?: number;
  readonly emitter?: number;
  readonly sequence?: bigint;
  readonly timestamp?: bigint;
  readonly model?: bigint;
  readonly stage?: bigint;
  readonly session?: bigint;
  readonly current?: bigint;
  readonly total?: bigint;
  readonly unit?: number;
  readonly failure?: number;
  readonly status?: number;
  readonly n0?: bigint;
  readonly n1?: bigint;
  readonly n2?: bigint;
  readonly n3?: bigint;
  /** The detail's bytes; without NUL. */
  readonly detail?: string | Uint8Array;
  /** The detail is filled up with "x" to this many bytes. */
  readonly fill?: number;
  /** Declared length of the detail where it is not the true one. */
  readonly length?: bigint;
  readonly nullDetail?: boolean;
  /** Sent this many times. */
  readonly count?: number;
}

/** Events from several threads at once. */
export interface ThreadFields {
  readonly threads: number;
  readonly countPerThread: number;
  readonly kind?: number;
}

/** One event through the helper functions that a runtime itself uses, to the reporter of the process. */
export interface EmitFields {
  readonly family: "load" | "kv" | "device" | "diagnostic" | "unload";
  readonly kind: number;
  /** First numeric summary; the failure code for `diagnostic`. */
  readonly number?: number;
  readonly detail?: string;
}

/** One step of a scripted open, in the words of `native/fault-runtime/README.md`. */
export type OpenStep =
  | { readonly step: "started"; readonly detail?: string }
  | { readonly step: "progress" | "null-event" | "sleep"; readonly count: number }
  | { readonly step: "backend" | "message" | "touch" | "wait-file" | "text"; readonly value: string | Uint8Array }
  | {
      readonly step: "prefill-touch" | "prefill-wait-file" | "decode-touch" | "decode-wait-file";
      readonly value: string;
    }
  | { readonly step: "free-wait-file"; readonly value: string }
  | { readonly step: "structured" | "finished" | "without-error" | "reporter-null-event" | "crash" }
  | { readonly step: "echo-config" | "count-errors" | "endless" | "echo-sampling" | "prefill-crash" | "decode-crash" }
  | { readonly step: "failed" | "fail" | "exit" | "batch" | "context" | "session-fail"; readonly count: number }
  | {
      readonly step: "free-sleep" | "prefill-sleep" | "decode-sleep" | "prefill-fail" | "decode-fail";
      readonly count: number;
    }
  | { readonly step: "wait-cancel" | "prefill-wait-cancel" | "decode-wait-cancel"; readonly count?: number }
  | { readonly step: "return"; readonly value: number | "null-handle" }
  | { readonly step: "event" | "reporter-event"; readonly fields: RawEventFields }
  | { readonly step: "threads" | "reporter-threads"; readonly fields: ThreadFields }
  | { readonly step: "late"; readonly milliseconds: number; readonly count: number }
  | { readonly step: "emit"; readonly fields: EmitFields };

/** Writes bytes so that no separator of the script appears in them. */
function escaped(value: string | Uint8Array): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return Array.from(bytes, (byte) => {
    const plain = /[A-Za-z0-9._/ -]/.test(String.fromCharCode(byte));
    return plain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}

function rawEvent({ detail, nullDetail, ...numbers }: RawEventFields): string {
  const parts = Object.entries(numbers).map(([key, value]) => `${key}:${value}`);
  if (detail !== undefined) parts.push(`detail:${escaped(detail)}`);
  if (nullDetail === true) parts.push("null-detail");
  return parts.join(",");
}

function valueOf(step: OpenStep): string {
  if ("milliseconds" in step) return `${step.milliseconds}:${step.count}`;
  if ("count" in step) return String(step.count);
  if ("value" in step) return typeof step.value === "number" ? String(step.value) : escaped(step.value);
  if (step.step === "started") return escaped(step.detail ?? "");
  if (!("fields" in step)) return "";
  switch (step.step) {
    case "event":
    case "reporter-event":
      return rawEvent(step.fields);
    case "threads":
    case "reporter-threads": {
      const { threads, countPerThread, kind } = step.fields;
      return [threads, countPerThread, ...(kind === undefined ? [] : [kind])].join(":");
    }
    case "emit": {
      const { family, kind, number = 0, detail = "" } = step.fields;
      return [family, kind, number, escaped(detail)].join(":");
    }
  }
}

/** A model path that makes a fault runtime run these steps, in order, when it is opened. No such file has to exist. */
export function openScript(steps: readonly OpenStep[]): string {
  const text = steps.map((step) => {
    const value = valueOf(step);
    return value === "" ? step.step : `${step.step}=${value}`;
  });
  return `/fault/script:${text.join(";")}`;
}
