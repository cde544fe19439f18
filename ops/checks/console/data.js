/** What the broker holds while it is looked at. */
export const ORDERS = 20_000;
export const MANY = Number(process.env.MANY);
const BULK = 120_000;

/** In a record: markup that would do something if it were read as such, and a character that turns text around. */
export const MARKUP = '<img src=x onerror="window.pwned=1"> \u202e <script>window.pwned=2</script>';

/** A number that JavaScript's own cannot hold. */
export const LARGE_NUMBER = "900719925474099312345";

export async function fill(broker) {
  await broker.kaka(["topic", "create", "orders", "--partitions", 3, "--set", "segment.bytes=131072"]);
  const order = (n) => `customer-${n % 997}\t{"order":${n},"customer":"customer-${n % 997}","lines":[{"sku":"A-${n % 31}","count":${n % 7}}],"paid":${n % 2 === 0}}`;
  await broker.kaka(["produce", "orders", "--key-separator", "\\t", "--batch-bytes", 16384], `${Array.from({ length: ORDERS }, (_, n) => order(n)).join("\n")}\n`);
  await broker.kaka(["consume", "orders", "--group", "archive", "--max", 5000]);

  await broker.kaka(["topic", "create", "kinds"]);
  await broker.post("/topics/kinds/records", {
    records: [
      { key: "json", value: `{"large":${LARGE_NUMBER},"list":[1,true,null,"x"],"empty":{}}`, headers: [{ name: "trace", value: "abc-123" }, { name: "nothing", value: null }] },
      { key: null, value: "no key" },
      { key: "binary", value: Buffer.from([0, 255, 1, 254, 0x4b, 0x41]).toString("base64"), value_encoding: "base64" },
      { key: "null", value: null },
      { key: "markup", value: MARKUP, headers: [{ name: MARKUP, value: MARKUP }] },
      { key: "long", value: `begin ${"x".repeat(100_000)} end` },
    ],
  });
  await broker.kaka(["produce", "zipped", "--compression", "zstd"], `${"compressed line\n".repeat(200)}`);

  // more than one stretch of a search: its needle is the oldest record
  const line = (n) => `${n === 0 ? "needle" : "hay"} ${n} ${"abcdefghij".repeat(22)}`;
  await broker.kaka(["produce", "bulk", "--partition", 0], `${Array.from({ length: BULK }, (_, n) => line(n)).join("\n")}\n`);

  await broker.kaka(["topic", "create", "clicks"]);
  await broker.kaka(["produce", "broken"], "one\ntwo\nthree\n");
}

/** Somebody who writes and reads all the time, and is a member of a group. */
export function traffic(broker) {
  const producer = broker.kakaBeside(["produce", "clicks", "--linger-ms", 2]);
  const consumer = broker.kakaBeside(["consume", "clicks", "--group", "live", "--follow"]);
  let n = 0;
  producer.stdin.on("error", () => {}); // the broker, and so it, is killed in the end
  const timer = setInterval(() => producer.stdin.write(Array.from({ length: 40 }, () => `click ${n++}\n`).join("")), 40);
  return () => {
    clearInterval(timer);
    producer.kill("SIGKILL");
    consumer.kill("SIGKILL");
  };
}
