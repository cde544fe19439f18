import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

const { JAVA, JAR } = process.env;
const START_MS = 60_000;

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A broker of its own process, on ports that stay the same when it is started again. */
export class Broker {
  /** @param directory where its data are; empty: in memory */
  static async make(directory) {
    const broker = new Broker();
    broker.directory = directory;
    broker.port = await freePort();
    broker.adminPort = await freePort();
    broker.home = `http://127.0.0.1:${broker.adminPort}`;
    return broker;
  }

  async start(isWritable, ...more) {
    const settings = [`-Dkaka.console.write=${isWritable}`, "-Xmx512m", ...more];
    const flags = ["serve", "--port", this.port, "--admin-port", this.adminPort, "--dir", this.directory].map(String);
    this.process = spawn(JAVA, [...settings, "-jar", JAR, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const ready = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the broker is not ready within ${START_MS} ms: ${said}`)), START_MS);
      const hear = (text) => {
        said += text;
        if (said.includes("kaka ready ")) {
          clearTimeout(late);
          resolve();
        }
      };
      this.process.stdout.on("data", hear);
      this.process.stderr.on("data", hear);
      this.process.on("exit", () => reject(new Error(`the broker did not start: ${said}`)));
    });
    await ready;
  }

  async stop(signal = "SIGKILL") {
    if (this.process !== undefined && this.process.exitCode === null && this.process.signalCode === null) {
      const ended = once(this.process, "exit");
      this.process.kill(signal);
      await ended;
    }
  }

  /** A command of kaka's, by its arguments; what it printed, or an Error with what it said. */
  kaka(args, input = "") {
    return new Promise((resolve, reject) => {
      const options = { env: { ...process.env, KAKA_BROKER: `127.0.0.1:${this.port}` }, maxBuffer: 1 << 28 };
      const child = execFile(JAVA, ["-XX:TieredStopAtLevel=1", "-jar", JAR, ...args.map(String)], options, (error, out) => (error === null ? resolve(out) : reject(error)));
      child.stdin.on("error", () => {}); // it has ended before it read all
      child.stdin.end(input);
    });
  }

  /** One that goes on until it is killed. */
  kakaBeside(args) {
    return spawn(JAVA, ["-XX:TieredStopAtLevel=1", "-jar", JAR, ...args.map(String)], {
      env: { ...process.env, KAKA_BROKER: `127.0.0.1:${this.port}` },
      stdio: ["pipe", "ignore", "ignore"],
    });
  }

  async api(path, options = {}) {
    const answer = await fetch(`${this.home}/api/v1${path}`, options);
    return { status: answer.status, ...(await answer.json()) };
  }

  post(path, body) {
    return this.api(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  }
}
