/** These headers are as long as those of a delivery. */
export const BARE_HEADERS = {
  "Content-Type": "application/json; charset=utf-8",
  "User-Agent": "deskbell/0.2.0 (+https://example.com/deskbell)",
  "X-Service-Event": "service.updated",
  "X-Service-Delivery": `dlv_${"0".repeat(26)}`,
  "X-Service-Attempt": "1",
  "X-Service-Sequence": "1042",
  "X-Service-Signature": `t=1763615045,v1=${"0".repeat(64)}`,
  "webhook-id": `evt_${"0".repeat(26)}`,
  "webhook-timestamp": "1763615045",
  "webhook-signature": `v1,${"0".repeat(43)}=`,
};
