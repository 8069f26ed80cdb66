import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Certificate = { key: Buffer; cert: Buffer };

export const hasOpenssl = (): boolean => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

export function createAuthority(folder: string) {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const newKey = (name: string) =>
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", `${name}.key`);
  const read = (name: string): Certificate => ({
    key: readFileSync(at(`${name}.key`)),
    cert: readFileSync(at(`${name}.pem`)),
  });

  function selfSign(name: string): Certificate {
    newKey(name);
    const names = `subjectAltName=DNS:${name}`;
    openssl(
      "req",
      "-x509",
      "-key",
      `${name}.key`,
      "-subj",
      `/CN=${name}`,
      "-addext",
      names,
      "-days",
      "2",
      "-out",
      `${name}.pem`,
    );
    return read(name);
  }

  writeFileSync(at("index"), "");
  writeFileSync(
    at("ca.conf"),
    `[ca]\ndefault_ca = ca_default\n[ca_default]\ndatabase = index\nnew_certs_dir = .\nrand_serial = yes\ndefault_md = sha256\n
     policy = any\ncopy_extensions = copy\nunique_subject = no\n[any]\ncommonName = supplied\n`,
  );
  const authority = selfSign("authority");

  return {
    certificate: authority.cert.toString(),
    selfSign,
    /** Issues a certificate that is valid from `from` to `to`, in days from now. */
    issue(name: string, { from = -1, to = 1 } = {}): Certificate {
      newKey(name);
      openssl(
        "req",
        "-new",
        "-key",
        `${name}.key`,
        "-subj",
        `/CN=${name}`,
        "-addext",
        `subjectAltName=DNS:${name}`,
        "-out",
        `${name}.csr`,
      );
      const [startdate, enddate] = [from, to].map(asOpensslTime) as [string, string];
      const times = ["-startdate", startdate, "-enddate", enddate];
      const by = ["-cert", "authority.pem", "-keyfile", "authority.key"];
      openssl(
        "ca",
        "-batch",
        "-notext",
        "-config",
        "ca.conf",
        ...by,
        ...times,
        "-in",
        `${name}.csr`,
        "-out",
        `${name}.pem`,
      );
      return read(name);
    },
  };
}

const asOpensslTime = (inDays: number): string =>
  `${new Date(Date.now() + inDays * 86_400_000).toISOString().replaceAll(/\D/g, "").slice(2, 14)}Z`;
