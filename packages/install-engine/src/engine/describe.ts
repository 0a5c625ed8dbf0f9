import { digestUtf8, sha256Hex } from "../digest.ts";
import { InstallEngineError } from "../error.ts";
import { createCatalogIdentity } from "../types/catalog-identity.ts";
import { createInstallPlanDescriptor } from "../types/install-plan-descriptor.ts";
import { identifyMaterial, type MaterialIdentity } from "../types/material-identity.ts";
import { createInstallSelection, type InstallSelection } from "../types/selection.ts";

/** What a host knows of one install. */
export interface DescribeInstallInput {
  /** `kind:name`, for example `skill:remote-testing`. */
  readonly capabilityId: string;
  /** The text to install; only its digest and length are kept. */
  readonly body: string;
  /** Driver id of the installer, see `InstallDriverRegistration`. */
  readonly installerId: string;
  /** Where the text comes from, as the host names it; only its digest is kept. Default: `local`. */
  readonly provenance?: string;
  /** The catalog that the capability is named in; only its digest is kept. Default: `local`. */
  readonly catalogNamespace?: string;
  /** The install asks for more permission than its kind has; a person is asked, whatever the policy says. */
  readonly permissionExpansion?: boolean;
  /** The install asks for a credential; a person is asked, whatever the policy says. */
  readonly credentialRequirement?: boolean;
}

/**
 * Makes the selection of one install from what a host without a planner knows: material, descriptor and catalog
 * identity with all their digests.
 *
 * The same input gives the same descriptor, so what was denied or failed for good stays blocked.
 *
 * @throws InstallEngineError INVALID_VALUE
 */
export function describeInstall(input: DescribeInstallInput): InstallSelection {
  const { capabilityId, body, installerId } = input;
  const kind = installableKindOf(capabilityId);
  const resultMaterial = identifyMaterial(capabilityId, kind, body);
  const provenanceDigest = sha256Hex(input.provenance ?? "local");
  const descriptor = createInstallPlanDescriptor({
    capabilityId,
    kind,
    installerId,
    planDigest: digestUtf8({
      installer_id: installerId,
      material_identity_digest: resultMaterial.identityDigest,
      provenance_digest: provenanceDigest,
      schema: "mesh.described-install-v1",
    }),
    provenanceDigest,
    permissionExpansion: input.permissionExpansion ?? false,
    credentialRequirement: input.credentialRequirement ?? false,
    resultMaterialIdentityDigest: resultMaterial.identityDigest,
  });
  return createInstallSelection({
    authority: { type: "install", descriptor, resultMaterial },
    catalogEntryDigest: resultMaterial.identityDigest,
    catalogIdentity: createCatalogIdentity({
      capabilityId,
      kind,
      catalogNamespaceDigest: sha256Hex(input.catalogNamespace ?? "local"),
    }),
  });
}

function installableKindOf(capabilityId: string): MaterialIdentity["kind"] {
  const [kind] = capabilityId.split(":");
  if (kind === "skill" || kind === "agent" || kind === "mcp-server") {
    return kind;
  }
  throw new InstallEngineError({
    code: "INVALID_VALUE",
    message: `capability id ${JSON.stringify(capabilityId)}: expected skill:name, agent:name or mcp-server:name`,
    facts: { field: "capability_id" },
  });
}
