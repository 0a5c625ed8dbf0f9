import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";

import { MATERIAL_BYTES_MAX, parseSkill, readMaterialFile, type Skill, SkillCasError } from "@mesh/skill-cas";

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
  const bytes = await readBody(file);
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

async function readBody(path: string): Promise<Uint8Array> {
  try {
    return await readMaterialFile(path);
  } catch (cause) {
    if (!(cause instanceof SkillCasError) || cause.facts["reason"] !== "too-large") throw unreadable(path, cause);
    const found = String(cause.facts["found"]);
    throw new HostError({
      code: "SKILL_TOO_LARGE",
      message: `${path} has ${found}; a skill's text has at most ${MATERIAL_BYTES_MAX}. Move what is long into files beside it.`,
      path,
      found,
      expected: `at most ${MATERIAL_BYTES_MAX} bytes`,
      cause,
    });
  }
}

function unreadable(path: string, cause: unknown): HostError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new HostError({
    code: "SKILL_UNREADABLE",
    message: `${path} cannot be read as a skill: ${why}. Expected a ${SKILL_FILE_NAME}, or the folder that holds one, that is no symbolic link.`,
    path,
    expected: `a regular file ${SKILL_FILE_NAME}`,
    cause,
  });
}
