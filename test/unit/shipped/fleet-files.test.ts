// The files for a fleet of three: what they name is there, each node has its own name, keys and disk, and all are locked down.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { defaultMassCancel } from "../../../src/bot/decider/acting/mass-cancel.ts";
import { loadConfiguration } from "../../../src/configuration.ts";
import { systemFiles } from "../../../src/kernel/yaml/files.ts";
import { PROJECT } from "../../support/quoin.ts";

const text = (file: string) => readFileSync(join(PROJECT, "config", file), "utf8");
const CANCELS_UP_TO_SECS = defaultMassCancel.deadlineMs / 1000;
const LOCKED = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };

/** The example as the node of that name reads it. */
async function configurationOf(node: string) {
  const folder = mkdtempSync(join(tmpdir(), "quoin-fleet-files-"));
  const file = join(folder, "quoin.yaml");
  writeFileSync(file, text("fleet.example.yaml").replace("node: NODE", `node: ${node}`));
  return (await loadConfiguration(file, systemFiles).finally(() => rmSync(folder, { recursive: true }))).bot;
}

/** Files that the node's configuration wants in /run/secrets. */
async function secretsOf(node: string): Promise<readonly string[]> {
  const { accounts, fleet } = await configurationOf(node);
  return [fleet?.databaseUrlFile ?? "", ...accounts.flatMap(({ agentKeyFile }) => agentKeyFile ?? [])];
}

it("the example loads, and NODE stands in it once but for its words", async () => {
  expect((await configurationOf("a")).fleet?.node).toBe("a");
  expect(text("fleet.example.yaml").match(/^[^#]*NODE/gm)).toHaveLength(1);
});

describe("config/compose.fleet.yaml", () => {
  type Service = {
    readonly command: readonly string[];
    readonly read_only: boolean;
    readonly cap_drop: readonly string[];
    readonly security_opt: readonly string[];
    readonly stop_grace_period: string;
    readonly restart: string;
    readonly ports: readonly string[];
    readonly volumes: readonly string[];
    readonly secrets: readonly string[];
  };
  const compose = parse(text("compose.fleet.yaml"), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  };

  it("starts three nodes, each on its own disk and port, locked down", () => {
    const services = Object.values(compose.services);
    expect(Object.keys(compose.services)).toEqual(["a", "b", "c"]);
    expect(new Set(services.flatMap(({ volumes }) => volumes)).size).toBe(3);
    expect(new Set(services.flatMap(({ ports }) => ports)).size).toBe(3);
    for (const { command, read_only, cap_drop, security_opt, stop_grace_period, restart, ports } of services) {
      expect(restart).toBe("unless-stopped");
      expect(command).toEqual(["fleet", "run", "--config", "/var/lib/quoin/quoin.yaml"]);
      expect({ read_only, cap_drop, security_opt }).toEqual({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(CANCELS_UP_TO_SECS + 10);
      expect(ports[0]).toMatch(/^127\.0\.0\.1:\d+:9464$/);
    }
  });

  it.each(["a", "b", "c"])("gives node %s the database's URL and its own keys, and no other's", async (node) => {
    const secrets = compose.services[node]?.secrets ?? [];
    expect(secrets.map((name) => `/run/secrets/${name}`)).toEqual(await secretsOf(node));
    for (const name of secrets) expect(compose.secrets[name]?.file).toBe(`../live/${name}`);
  });
});

describe("config/kubernetes/fleet.yaml", () => {
  const [set, budget, service] = parseAllDocuments(text("kubernetes/fleet.yaml")).map((document) => document.toJS());
  const pod = set.spec.template.spec;
  const [container] = pod.containers;

  it("runs three nodes on three machines, of which one at a time may be away", () => {
    expect([set.kind, set.spec.replicas, set.spec.podManagementPolicy]).toEqual(["StatefulSet", 3, "Parallel"]);
    const [rule] = pod.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    expect([rule.topologyKey, rule.labelSelector]).toEqual(["kubernetes.io/hostname", set.spec.selector]);
    expect([budget.spec.maxUnavailable, budget.spec.selector]).toEqual([1, set.spec.selector]);
    expect(service.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
    expect(set.spec.serviceName).toBe(service.metadata.name);
  });

  it("runs as the image's user, cannot write the image, and has no capability", () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      fsGroupChangePolicy: "OnRootMismatch",
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const { securityContext } of [...pod.initContainers, ...pod.containers])
      expect(securityContext).toEqual(LOCKED);
  });

  it("gives each node its name, its own keys with mode 0600, and never all of them", async () => {
    const [init] = pod.initContainers;
    const script = init.command.at(-1);
    expect(init.env).toEqual([{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }]);
    expect(script).toContain('install -m 0600 /secret/"$NODE"-*.key /secret/database.url /run/secrets/');
    expect(script).toContain('sed "s/NODE/$NODE/"');
    const own = "quoin-fleet-0";
    expect(await secretsOf(own)).toEqual(["/run/secrets/database.url", `/run/secrets/${own}-12.key`]);
    expect(text("kubernetes/fleet.yaml")).toContain(`--from-file=${own}-12.key`);
    const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
    expect(mounted).not.toContain("secret");
    expect(pod.volumes.find(({ name }: { name: string }) => name === "secret").secret.defaultMode).toBe(0o440);
  });

  it("keeps ledger and outbox, and has the time to give its accounts up", async () => {
    const [claim] = set.spec.volumeClaimTemplates;
    const { mountPath } = container.volumeMounts.find(({ name }: { name: string }) => name === claim.metadata.name);
    expect((await configurationOf("a")).ledger.file?.startsWith(`${mountPath}/`)).toBe(true);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(CANCELS_UP_TO_SECS + 10);
    expect(container.args).toEqual(["fleet", "run", "--config", "/etc/quoin/quoin.yaml"]);
    for (const { resources } of [...pod.initContainers, container])
      expect(resources.limits.memory).toMatch(/^\d+[GM]i$/);
    expect(container.livenessProbe.httpGet).toEqual({ path: "/livez", port: "http" });
  });
});
