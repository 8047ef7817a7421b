// compose.yaml, the Kubernetes manifests and Grafana's provisioning: what they name is there, and what they say is what the code does.

import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { defaultMassCancel } from "../../../src/bot/decider/acting/mass-cancel.ts";
import { check } from "../../../src/cli/check.ts";
import { processHost } from "../../../src/host/process.ts";
import { readSecretFile, writePrivateFile } from "../../../src/kernel/private-file.ts";
import { prometheusFile, yamlOf } from "../../support/monitoring.ts";
import { PROJECT } from "../../support/quoin.ts";

const config = (file: string) => join(PROJECT, "config", file);
const text = (file: string) => readFileSync(config(file), "utf8");
const DAEMON_PORT = 9464;
const CANCELS_UP_TO_SECS = 25;
const IMAGE_USER = 1000;
/** What Kubernetes gives every file of a volume at each start of a pod with fsGroup, unless it is told otherwise. */
const FS_GROUP_BITS = 0o060;
/** Of a probe that names none. */
const DEFAULT_FAILURES = 3;

const folder = mkdtempSync(join(tmpdir(), "quoin-containers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the container of this configuration is told, as far as these tests ask. */
const example = yamlOf(config("container.example.yaml")) as {
  readonly accounts: readonly { readonly agentKeyFile: string; readonly watchdogKeyFile: string }[];
  readonly server: { readonly port: number; readonly hosts: readonly string[]; readonly tokenFile: string };
  readonly watchdog: { readonly daemonUrl: string; readonly host: string; readonly port: number };
  readonly ledger: { readonly file: string };
};

describe("config/container.example.yaml", () => {
  it("passes check", async () => {
    const file = join(folder, "quoin.yaml");
    writeFileSync(file, text("container.example.yaml"));
    expect(await check({ config: file, online: false, json: false }, { ...processHost, stdout: () => {} })).toBe(0);
  });

  it("lets the watchdog reach the daemon by the service's name", () => {
    const { hostname, port } = new URL(example.watchdog.daemonUrl);
    expect(example.server.hosts).toContain(hostname);
    expect(Number(port)).toBe(example.server.port);
  });
});

type Service = {
  readonly image: string;
  readonly command?: readonly string[];
  readonly restart: string;
  readonly read_only?: boolean;
  readonly cap_drop: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly secrets?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
};

describe("config/compose.yaml", () => {
  const compose = parse(text("compose.yaml"), { merge: true }) as {
    readonly services: Readonly<Record<"quoin" | "watchdog" | "prometheus" | "grafana", Service>>;
    readonly configs: { readonly prometheus: { readonly content: string } };
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
    readonly volumes: object;
  };
  const { quoin, watchdog, prometheus, grafana } = compose.services;

  it("publishes ports on loopback alone, and the daemon's is the one that it listens on", () => {
    for (const { ports = [] } of Object.values(compose.services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
    expect(quoin.ports).toEqual([`127.0.0.1:${example.server.port}:${example.server.port}`]);
  });

  it("gives each process its own key, at the path that the configuration names", () => {
    const [account] = example.accounts;
    const at = (names: readonly string[] = []) => names.map((name) => `/run/secrets/${name}`);
    expect(at(quoin.secrets)).toEqual([account?.agentKeyFile]);
    expect(at(watchdog.secrets)).toEqual([account?.watchdogKeyFile]);
    for (const name of [...(quoin.secrets ?? []), ...(watchdog.secrets ?? [])]) {
      expect(compose.secrets[name]?.file).toBe(`../live/${name}`);
    }
  });

  it("keeps token and ledger in the mounted folder, all else read-only, without a capability", () => {
    const [mounted] = quoin.volumes.map((volume) => volume.split(":")[1] ?? "");
    for (const file of [example.server.tokenFile, example.ledger.file])
      expect(file.startsWith(`${mounted}/`)).toBe(true);
    for (const service of [quoin, watchdog, prometheus]) expect(service.read_only).toBe(true);
    for (const service of Object.values(compose.services)) expect(service.cap_drop).toEqual(["ALL"]);
  });

  it("leaves the daemon the time that it goes on canceling", () => {
    expect(CANCELS_UP_TO_SECS * 1000).toBe(defaultMassCancel.deadlineMs);
    expect(Number.parseInt(quoin.stop_grace_period ?? "", 10)).toBeGreaterThan(CANCELS_UP_TO_SECS + 10);
  });

  it("starts both again after a crash and after a boot, until they are stopped, and says so", () => {
    expect([quoin.restart, watchdog.restart]).toEqual(["unless-stopped", "unless-stopped"]);
    expect(text("compose.yaml")).toContain("Started again after every exit code and after a boot");
  });

  it("starts commands of ours on the mounted configuration", () => {
    expect(watchdog.command).toEqual(["watchdog", "--config", "/var/lib/quoin/quoin.yaml"]);
    expect(quoin.command).toBeUndefined();
  });

  it("asks the watchdog too whether it still looks, by the image's script", () => {
    const [form, program, script = "", ...words] = watchdog.healthcheck?.test ?? [];
    expect([form, program, ...words]).toEqual(["CMD", "perl", "/var/lib/quoin/quoin.yaml", "watchdog"]);
    expect(readFileSync(join(PROJECT, "Dockerfile"), "utf8")).toContain(`CMD ["perl", "${script}"`);
    expect(quoin.healthcheck, "the image's own").toBeUndefined();
  });

  it("pins the images of others by digest", () => {
    for (const { image } of [prometheus, grafana])
      expect(image).toMatch(/^[\w/]+:v?\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$/);
  });

  it("scrapes as config/prometheus/prometheus.yaml does, by the service's name, with the shipped rules", () => {
    const shipped = yamlOf(prometheusFile("prometheus.yaml")) as object;
    const other = JSON.stringify(shipped).replace(
      `127.0.0.1:${DAEMON_PORT}`,
      `${example.server.hosts[0]}:${DAEMON_PORT}`,
    );
    expect(parse(compose.configs.prometheus.content)).toEqual(JSON.parse(other));
    expect(mountsOf(prometheus)).toContainEqual([prometheusFile("rules.yaml"), "/etc/prometheus/rules.yaml"]);
  });

  it("mounts what exists, and declares every volume", () => {
    for (const service of [prometheus, grafana]) {
      for (const [source, target] of mountsOf(service)) {
        if (source.startsWith("/")) expect(existsSync(source), target).toBe(true);
        else expect(compose.volumes).toHaveProperty(source);
      }
    }
  });

  it("provisions Grafana with the data source and with the dashboards that ship", () => {
    const inContainer = Object.fromEntries(mountsOf(grafana).map(([source, target]) => [target, source]));
    const provisioning = inContainer["/etc/grafana/provisioning"] ?? "";
    const { datasources } = yamlOf(join(provisioning, "datasources/prometheus.yaml")) as {
      readonly datasources: readonly { readonly url: string; readonly type: string }[];
    };
    expect(datasources).toMatchObject([{ type: "prometheus", url: "http://prometheus:9090" }]);
    const { providers } = yamlOf(join(provisioning, "dashboards/quoin.yaml")) as {
      readonly providers: readonly { readonly options: { readonly path: string } }[];
    };
    const dashboards = inContainer[providers[0]?.options.path ?? ""] ?? "";
    expect(readdirSync(dashboards)).toContain("quoin.json");
  });
});

/** [source, target] of what a service mounts; sources beside compose.yaml as absolute paths. */
const mountsOf = ({ volumes }: Service): readonly (readonly [string, string])[] =>
  volumes.map((volume) => {
    const [source = "", target = ""] = volume.split(":");
    return [source.startsWith(".") ? join(PROJECT, "config", source) : source, target];
  });

type Container = {
  readonly image: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly livenessProbe?: {
    readonly httpGet: { readonly path: string; readonly port: string };
    readonly periodSeconds: number;
    readonly failureThreshold?: number;
  };
  readonly readinessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } };
  readonly resources?: { readonly requests?: object; readonly limits?: { readonly memory?: string } };
};
type Pod = {
  /** Always, the only one that a Deployment takes, where it is not said. */
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly initContainers: readonly [Container];
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string; readonly defaultMode: number };
    readonly emptyDir?: { readonly sizeLimit?: string };
  }[];
};
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: { readonly type: string };
    readonly accessModes?: readonly string[];
    readonly template?: { readonly spec: Pod };
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
  };
};

const manifests = (file: string): readonly Manifest[] =>
  parseAllDocuments(text(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest);
/** The comments of the file's head as one line. */
const comments = (file: string): string =>
  (/^(#.*\n)+/.exec(text(`kubernetes/${file}`))?.[0] ?? "").replaceAll(/\n# ?/g, " ");
const deployment = (file: string): Manifest => manifests(file).find(({ kind }) => kind === "Deployment") as Manifest;

describe.each(["quoin.yaml", "watchdog.yaml"])("config/kubernetes/%s", (file) => {
  const { replicas, strategy, template } = deployment(file).spec;
  const pod = template?.spec as Pod;

  it("runs one pod and never a second beside it", () => {
    expect([replicas, strategy]).toEqual([1, { type: "Recreate" }]);
  });

  it("runs as the image's user, cannot write the image, and has no capability", () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: IMAGE_USER });
    for (const { securityContext } of [...pod.initContainers, ...pod.containers]) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  it("has its key as a file of mode 0600 where the configuration names it, and nobody else's", () => {
    const [account] = example.accounts;
    const wanted = file === "quoin.yaml" ? account?.agentKeyFile : account?.watchdogKeyFile;
    const name = basename(wanted ?? "");
    expect(pod.initContainers[0].command).toEqual(["sh", "-ec", `install -m 0600 /secret/* ${dirname(wanted ?? "")}/`]);
    expect(text(`kubernetes/${file}`)).toMatch(new RegExp(`create secret generic [\\w-]+ --from-file=${name}\\b`));
    expect(pod.volumes.flatMap(({ secret }) => secret ?? [])).toHaveLength(1);
    expect(pod.volumes.find(({ secret }) => secret !== undefined)?.secret?.defaultMode).toBe(0o440);
  });

  it("is started again after every exit code, and says so", () => {
    expect(pod.restartPolicy).toBeUndefined();
    expect(comments(file)).toContain("started again after every exit code");
  });

  it("names what each container may use, as a namespace with quotas demands, and how large what lies in memory may be", () => {
    for (const { resources } of [...pod.initContainers, ...pod.containers])
      expect(resources).toMatchObject({
        requests: { memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    for (const { emptyDir } of pod.volumes) if (emptyDir !== undefined) expect(emptyDir.sizeLimit).toMatch(/^\d+Mi$/);
  });

  it("is restarted when its process stalls, and says after how long", () => {
    const [container] = pod.containers;
    const { httpGet, periodSeconds = 0, failureThreshold = DEFAULT_FAILURES } = container.livenessProbe ?? {};
    expect(httpGet).toEqual({ path: "/livez", port: "http" });
    expect(comments(file)).toContain(`after ${periodSeconds * failureThreshold} s in which`);
    const { port } = file === "quoin.yaml" ? example.server : example.watchdog;
    expect(container.ports).toEqual([{ name: "http", containerPort: port }]);
  });

  it("mounts volumes that it declares", () => {
    const declared = pod.volumes.map(({ name }) => name);
    for (const { volumeMounts } of [...pod.initContainers, ...pod.containers]) {
      for (const { name } of volumeMounts) expect(declared).toContain(name);
    }
  });
});

describe("the daemon in Kubernetes", () => {
  const pod = deployment("quoin.yaml").spec.template?.spec as Pod;
  const [daemon] = pod.containers;

  it("is left alone when it cannot trade", () => {
    expect(daemon.readinessProbe?.httpGet).toEqual({ path: "/readyz", port: "http" });
  });

  it("has the time that it goes on canceling", () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(CANCELS_UP_TO_SECS + 10);
  });

  it("is reached by the name that server.hosts lists", () => {
    const service = manifests("quoin.yaml").find(({ kind }) => kind === "Service");
    expect(example.server.hosts).toContain(service?.metadata.name);
    expect(service?.spec.ports?.map(({ port }) => port)).toEqual([example.server.port]);
  });

  it("shares its volume with no second pod, wherever that may start", () => {
    const claim = manifests("quoin.yaml").find(({ kind }) => kind === "PersistentVolumeClaim");
    expect(claim?.spec.accessModes).toEqual(["ReadWriteOncePod"]);
  });

  it("finds its token as it left it: the volume's files are not opened to the group again", () => {
    const folder = mkdtempSync(join(tmpdir(), "quoin-volume-"));
    const token = join(folder, "admin.token");
    writePrivateFile(token, "a-token-of-the-volume");
    chmodSync(token, 0o600 | FS_GROUP_BITS);
    expect(() => readSecretFile(token)).toThrow("has mode 0660");
    rmSync(folder, { recursive: true });
    expect(pod.securityContext).toMatchObject({ fsGroup: IMAGE_USER, fsGroupChangePolicy: "OnRootMismatch" });
  });

  it("writes token and ledger to the volume that survives it", () => {
    const ledger = daemon.volumeMounts.find(({ name }) => name === "ledger")?.mountPath;
    for (const path of [example.server.tokenFile, example.ledger.file])
      expect(path.startsWith(`${ledger}/`)).toBe(true);
  });
});
