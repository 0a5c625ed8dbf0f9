// The layout of a record is the native boundary's, where a test holds it against the compiled addon; one copy is enough.
export {
  RECORD_BYTES,
  RECORD_DETAIL_BYTES_MAX as DETAIL_BYTES_MAX,
  RECORD_LAYOUT,
} from "@mesh/ffi/runtime";

/** Whether this machine stores the low byte first. A record is in the machine's own order: it never leaves the process. */
export const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
