import { SetUpError } from "./error.mjs";

const BLOCK_BYTES = 512;
/** More entries than any package that is pinned here has; a bound, so that a bad archive ends in an error. */
export const TAR_ENTRIES_MAX = 50_000;

/**
 * @typedef {{ path: string, executable: boolean, content: Buffer }} TarFile
 *   `path` is relative, below the archive's top folder, made of ordinary components only.
 */

/**
 * Reads the regular files of a package archive (ustar with the pax and GNU long-name extensions). The archive comes from
 * outside: a link, a device, a path that leaves the folder, a wrong checksum or a cut end are refused, because skipping
 * one of them would unpack something else than what was published.
 *
 * @param {Buffer} archive uncompressed
 * @returns {TarFile[]}
 */
export function readTar(archive) {
  /** @type {TarFile[]} */
  const files = [];
  /** @type {string | undefined} */
  let longName;
  let position = 0;
  for (let entries = 0; position + BLOCK_BYTES <= archive.length; entries += 1) {
    if (entries > TAR_ENTRIES_MAX) throw refused(`more than ${TAR_ENTRIES_MAX} entries`);
    const header = archive.subarray(position, position + BLOCK_BYTES);
    position += BLOCK_BYTES;
    if (header.every((byte) => byte === 0)) return files;
    checkChecksum(header);
    const size = octal(header, 124, 12, "size");
    if (position + size > archive.length) throw refused("the archive ends inside an entry");
    const content = archive.subarray(position, position + size);
    position += Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    const type = String.fromCharCode(header[156] || 48);
    if (type === "x") longName = paxPath(content) ?? longName;
    else if (type === "L") longName = text(content, 0, content.length);
    else if (type !== "g") {
      const name = longName ?? headerName(header);
      longName = undefined;
      if (type === "0") files.push({ path: safePath(name), executable: isExecutable(header), content });
      else if (type !== "5") throw refused(`entry "${name}" has type "${type}"; only files and folders are expected`);
    }
  }
  throw refused("the archive has no end mark");
}

/**
 * @param {string} name as the archive gives it: attacker-controlled until the digest of the archive was checked
 * @returns {string} without the archive's top folder
 */
function safePath(name) {
  const components = name.split("/");
  const unsafe = components.some((part) => part === "" || part === "." || part === ".." || /[\0\\:]/.test(part));
  if (unsafe || components.length < 2) throw refused(`entry name "${name}" is not a plain path below one folder`);
  return components.slice(1).join("/");
}

/** @param {Buffer} header */
function headerName(header) {
  const isUstar = text(header, 257, 5) === "ustar";
  const prefix = isUstar ? text(header, 345, 155) : "";
  const name = text(header, 0, 100);
  return prefix === "" ? name : `${prefix}/${name}`;
}

/**
 * A pax record is "LENGTH KEY=VALUE\n", where LENGTH counts the whole record in bytes, itself included.
 *
 * @param {Buffer} records
 */
function paxPath(records) {
  let position = 0;
  let found;
  while (position < records.length) {
    const space = records.indexOf(0x20, position);
    const length = Number(records.subarray(position, space < 0 ? undefined : space).toString("latin1"));
    if (!Number.isInteger(length) || length <= 0 || position + length > records.length) {
      throw refused("a pax record with a wrong length");
    }
    const record = records.subarray(space + 1, position + length - 1).toString();
    if (record.startsWith("path=")) found = record.slice("path=".length);
    if (record.startsWith("size=")) throw refused("a pax record that changes the size of an entry");
    position += length;
  }
  return found;
}

/** The sum of all header bytes, its own field counted as spaces. @param {Buffer} header */
function checkChecksum(header) {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (octal(header, 148, 8, "checksum") !== sum) throw refused("an entry header whose checksum is wrong");
}

/** @param {Buffer} header */
function isExecutable(header) {
  return (octal(header, 100, 8, "mode") & 0o111) !== 0;
}

/** @param {Buffer} bytes @param {number} start @param {number} length */
function text(bytes, start, length) {
  const field = bytes.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString();
}

/** @param {Buffer} header @param {number} start @param {number} length @param {string} field */
function octal(header, start, length, field) {
  const digits = text(header, start, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw refused(`an entry whose ${field} is not an octal number`);
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

/** @param {string} what */
function refused(what) {
  return new SetUpError(`refused to unpack the package archive: ${what}`);
}
