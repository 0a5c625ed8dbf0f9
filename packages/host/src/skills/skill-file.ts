import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join, resolve } from "node:path";

import { MATERIAL_BYTES_MAX, parseSkill, type Skill } from "@mesh/skill-cas";

import { HostError } from "../error.ts";

/** Name of the file in a skill's folder (Agent Skills specification). */
const SKILL_FILE_NAME = "SKILL.md";

/** A skill on disk that was read and understood. */
export interface SkillFile {
  /** Absolute path of the SKILL.md. */
  readonly path: string;
  readonly skill: Skill;
  /** The text, exactly as it is stored. */
  readonly body: string;
}

/**
 * Reads a skill from its SKILL.md or from the folder that holds it. Everything about it is attacker-controlled: the path
 * is not followed where it is a symbolic link, the size is bounded, and the text is parsed strictly.
 *
 * @throws HostError `SKILL_UNREADABLE`, `SKILL_TOO_LARGE`; SkillCasError of the parser, with line and column.
 */
export async function readSkillFile(path: string): Promise<SkillFile> {
  const file = await locate(resolve(path));
  const bytes = await readBounded(file);
  const skill = parseSkill(bytes);
  // The parser has checked that the bytes are UTF-8, so the text has exactly these bytes.
  return { path: file, skill, body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
}

async function locate(path: string): Promise<string> {
  try {
    return (await lstat(path)).isDirectory() ? join(path, SKILL_FILE_NAME) : path;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function readBounded(path: string): Promise<Uint8Array> {
  let file;
  try {
    // O_NONBLOCK, because opening a FIFO that was put here would wait for a writer for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw unreadable(path, cause);
  }
  try {
    const status = await file.stat();
    if (!status.isFile()) throw unreadable(path);
    const buffer = Buffer.alloc(Math.min(status.size, MATERIAL_BYTES_MAX) + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > MATERIAL_BYTES_MAX || status.size > MATERIAL_BYTES_MAX) {
      throw new HostError({
        code: "SKILL_TOO_LARGE",
        message: `${path} has ${status.size} bytes; a skill's text has at most ${MATERIAL_BYTES_MAX}. Move what is long into files beside it.`,
        path,
        found: `${status.size} bytes`,
        expected: `at most ${MATERIAL_BYTES_MAX} bytes`,
      });
    }
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function unreadable(path: string, cause?: unknown): HostError {
  const why = cause instanceof Error ? cause.message : "it is not a regular file";
  return new HostError({
    code: "SKILL_UNREADABLE",
    message: `${path} cannot be read as a skill: ${why}. Expected a ${SKILL_FILE_NAME}, or the folder that holds one, that is no symbolic link.`,
    path,
    expected: `a regular file ${SKILL_FILE_NAME}`,
    ...(cause === undefined ? {} : { cause }),
  });
}
