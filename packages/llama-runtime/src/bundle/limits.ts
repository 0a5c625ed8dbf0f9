/** Largest manifest.json that is read. The one of this package has about 3 KB. */
export const MANIFEST_BYTES_MAX = 1024 * 1024;
/** Most files a bundle may have. The one of this package has about 25. */
export const BUNDLE_FILES_MAX = 1024;
/** Deepest folder of a bundle, counted from its root. */
export const BUNDLE_DIRECTORY_DEPTH_MAX = 8;
/** Longest relative path of a file in a bundle, in UTF-8 bytes. */
export const RELATIVE_PATH_BYTES_MAX = 512;
/** A stage older than this was left by a process that died; the next materialisation removes it. */
export const STAGE_AGE_MS_MAX = 60 * 60 * 1000;
