export {
  FfiError,
  type FfiErrorCode,
  type FfiErrorOptions,
  FileSystemError,
  type FileSystemErrorOptions,
} from "./error.ts";
export type { Libc } from "./libc.ts";
export { type AddonLocation, locateAddon } from "./loader.ts";
