export type { FileSystemErrorCode } from "./error-code.ts";
export { type ComponentStatus, statComponents } from "./component-status.ts";
export type { FileKind, FileStatus } from "./file-status.ts";
export { type DirectoryEntry, type DirectoryListing, LISTING_PIECE_NAMES_MAX } from "./listing.ts";
export type { MountStatus } from "./mount.ts";
export { NAME_BYTES_MAX, PATH_BYTES_MAX } from "./name.ts";
export { openPinnedDirectory, type OpenPinnedDirectoryOptions } from "./open-pinned-directory.ts";
export type { PinnedDirectory } from "./pinned-directory.ts";
export type { PinnedFile } from "./pinned-file.ts";
