import { FfiError } from "../error.ts";

/** The longest name that file systems of Linux and macOS take, in bytes of UTF-8 (NAME_MAX). */
export const NAME_BYTES_MAX = 255;

/** The longest path that this package takes, in bytes of UTF-8 (PATH_MAX less the closing NUL). */
export const PATH_BYTES_MAX = 4095;

/** Names of plain ASCII letters, digits and `_-.` are the usual ones and need no closer look. */
const PLAIN_NAME = /^(?!\.{1,2}$)[\w.-]{1,255}$/;

/**
 * Checks that a name from outside is one single path component: nothing that could lead out of its directory, end early
 * at a NUL, or become another name on its way to the kernel. Refused, never repaired: a cleaned-up name is how two
 * things become one.
 *
 * @throws FfiError `INVALID_NAME`.
 */
export function validateName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  const found = faultOfName(name);
  if (found === undefined) return name;
  throw new FfiError({
    code: "INVALID_NAME",
    message: `${JSON.stringify(name)} ${found}: expected one path component of 1 to ${NAME_BYTES_MAX} bytes.`,
    name,
  });
}

function faultOfName(name: unknown): string | undefined {
  if (typeof name !== "string") return "is not a string";
  if (name === "") return "is empty";
  if (name === "." || name === "..") return "is a reference to a directory";
  if (name.includes("/")) return "holds a slash";
  if (name.includes("\0")) return "holds a NUL";
  if (/\p{Surrogate}/u.test(name)) return "holds half of a surrogate pair and has no UTF-8 form";
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return `has ${Buffer.byteLength(name)} bytes`;
  return undefined;
}

/**
 * Splits an absolute path from outside into its components. The path is taken as it is written: `.`, `..`, empty
 * components and a trailing slash are refused, because what they mean depends on links that are not followed here.
 *
 * @throws FfiError `INVALID_PATH`.
 */
export function splitPath(path: string): readonly string[] {
  const found = faultOfPath(path);
  if (found === undefined) return path === "/" ? [] : path.slice(1).split("/");
  throw new FfiError({
    code: "INVALID_PATH",
    message: `${JSON.stringify(path)} ${found}: expected an absolute path in its plain form, as path.resolve() gives it.`,
    path,
  });
}

function faultOfPath(path: unknown): string | undefined {
  if (typeof path !== "string") return "is not a string";
  if (!path.startsWith("/")) return "is not absolute";
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return `has more than ${PATH_BYTES_MAX} bytes`;
  if (path === "/") return undefined;
  for (const component of path.slice(1).split("/")) {
    const fault = faultOfName(component);
    if (fault !== undefined) return `has the component ${JSON.stringify(component)}, which ${fault}`;
  }
  return undefined;
}

/** The path of an entry, for messages. */
export function joinPath(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}
