import type { Db } from "./db.ts";

/** A period, in epoch milliseconds; both ends are included. */
export type Period = { from: number; to: number };

/** The hosts that webhooks are sent to, except those that the operator trusts. */
export function createHostStore(db: Db) {
  const selectVerifiedAt = db
    .prepare("SELECT verified_at FROM verified_host WHERE host = ?")
    .pluck();
  const upsertVerified = db.prepare(`
    INSERT INTO verified_host (host, verified_at) VALUES (:host, :at)
    ON CONFLICT (host) DO UPDATE SET verified_at = excluded.verified_at`);
  const insertRequest = db.prepare(
    "INSERT INTO unverified_request (host, is_test, at) VALUES (:host, :isTest, :at)",
  );
  const countRequests = db
    .prepare(
      "SELECT count(*) FROM unverified_request WHERE host = :host AND is_test = :isTest AND at BETWEEN :from AND :to",
    )
    .pluck();
  const selectBusy = db
    .prepare(`
      SELECT host FROM unverified_request WHERE is_test = 0 AND at BETWEEN :from AND :to
      GROUP BY host HAVING count(*) >= :count ORDER BY host`)
    .pluck();
  const deleteRequestsOf = db.prepare("DELETE FROM unverified_request WHERE host = ?");
  const deleteRequests = db.prepare("DELETE FROM unverified_request WHERE at < ?");
  const deleteVerified = db.prepare("DELETE FROM verified_host WHERE verified_at < ?");

  return {
    findVerifiedAt: (host: string): number | undefined =>
      selectVerifiedAt.get(host) as number | undefined,
    verify(host: string, at: number): void {
      upsertVerified.run({ host, at });
      deleteRequestsOf.run(host);
    },
    recordRequest: (host: string, isTest: boolean, at: number): void =>
      void insertRequest.run({ host, isTest: isTest ? 1 : 0, at }),
    countRequests: (host: string, isTest: boolean, period: Period): number =>
      countRequests.get({ host, isTest: isTest ? 1 : 0, ...period }) as number,
    /** Hosts with at least `count` deliveries in a period while they were not verified. */
    listWithDeliveries: (count: number, period: Period): string[] =>
      selectBusy.all({ count, ...period }) as string[],
    /** Deletes requests and verifications made before an instant. */
    prune(requestsBefore: number, verifiedBefore: number): void {
      deleteRequests.run(requestsBefore);
      deleteVerified.run(verifiedBefore);
    },
  };
}
