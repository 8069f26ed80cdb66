import type { RequestedDestination } from "../settings.ts";
import { readSecretFile } from "../../../config-values.ts";
import { usageError } from "../../../cli/failure.ts";
import { type FlagValues, text } from "../../../cli/flags.ts";

/**
 * The flags of `destinations`. Files contain the secrets, because any user can list the arguments
 * of a process.
 */
export const LOGIN_FLAGS = {
  user: text("name", "log in as this user, with --password-file"),
  passwordFile: text("file", "file with the password of --user"),
  tokenFile: text("file", "file with a token to log in with"),
  nkeyFile: text("file", "file with the seed of an NKey to log in with"),
  caFile: text("file", "file with the certificate (PEM) of the authority that signed the server's"),
};

type Login = Partial<Pick<RequestedDestination, "ca" | "credentials">>;

/** Reads the files that the flags name. @throws AppError usage */
export function readLogin(flags: FlagValues<typeof LOGIN_FLAGS>): Login {
  const { caFile } = flags;
  const credentials = readCredentials(flags);
  return {
    ...(caFile !== undefined && { ca: readSecretFile("--ca-file", caFile) }),
    ...(credentials && { credentials }),
  };
}

function readCredentials({
  user,
  passwordFile,
  tokenFile,
  nkeyFile,
}: FlagValues<typeof LOGIN_FLAGS>): Login["credentials"] {
  if ([user ?? passwordFile, tokenFile, nkeyFile].filter((way) => way !== undefined).length > 1)
    throw usageError("Only one of --user, --token-file and --nkey-file can be used.");
  if (tokenFile !== undefined)
    return { kind: "token", token: readSecretFile("--token-file", tokenFile) };
  if (nkeyFile !== undefined)
    return { kind: "nkey", seed: readSecretFile("--nkey-file", nkeyFile) };
  if (user === undefined && passwordFile === undefined) return undefined;
  if (user === undefined || passwordFile === undefined)
    throw usageError("--user and --password-file must be used together.");
  return { kind: "user", user, password: readSecretFile("--password-file", passwordFile) };
}
