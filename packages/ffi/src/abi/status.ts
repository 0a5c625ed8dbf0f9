const STATUS_NAMES = [
  "OK",
  "ERROR",
  "INVALID_ARGUMENT",
  "UNSUPPORTED",
  "BUFFER_TOO_SMALL",
  "IO_ERROR",
  "MODEL_ERROR",
  "RUNTIME_ERROR",
] as const;

/** The name of a native status, or `UNKNOWN` for a number outside spec 1.4, which a foreign runtime may return. */
export type StatusName = (typeof STATUS_NAMES)[number] | "UNKNOWN";

/** Names a raw status; the number itself stays beside the name wherever it is reported. */
export function statusName(status: number): StatusName {
  return STATUS_NAMES[status] ?? "UNKNOWN";
}
