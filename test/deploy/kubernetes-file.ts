import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({ name: z.string(), labels });
const selector = z.strictObject({ matchLabels: labels });
const secretKeyRef = z.strictObject({ name: z.string(), key: z.string() });
const probe = z.strictObject({
  httpGet: z.strictObject({
    path: z.string(),
    port: z.literal('http'),
    scheme: z.literal('HTTPS').optional(),
  }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int().optional(),
  failureThreshold: z.int().optional(),
});

const Container = z.strictObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.string(),
  args: z.array(z.string()).optional(),
  env: z.array(
    z.strictObject({
      name: z.string(),
      value: z.string().optional(),
      valueFrom: z.strictObject({ secretKeyRef }).optional(),
    }),
  ),
  ports: z.array(z.strictObject({ name: z.literal('http'), containerPort: z.int() })).length(1),
  lifecycle: z.unknown().optional(),
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string(), memory: z.string() }),
    limits: z.strictObject({ memory: z.string() }),
  }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  volumeMounts: z
    .array(z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.literal(true).optional() }))
    .optional(),
});

const Pod = z.strictObject({
  metadata: z.strictObject({ labels, annotations: labels.optional() }),
  spec: z.strictObject({
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.literal(1000),
      runAsGroup: z.literal(1000),
      fsGroup: z.literal(1000).optional(),
      seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
    }),
    topologySpreadConstraints: z.array(
      z.strictObject({
        maxSkew: z.int(),
        topologyKey: z.string(),
        whenUnsatisfiable: z.string(),
        labelSelector: selector,
      }),
    ),
    terminationGracePeriodSeconds: z.int(),
    containers: z.array(Container).length(1),
    volumes: z
      .array(
        z.union([
          z.strictObject({ name: z.string(), configMap: z.strictObject({ name: z.string() }) }),
          z.strictObject({ name: z.string(), secret: z.strictObject({ secretName: z.string() }) }),
        ]),
      )
      .optional(),
  }),
});

const Deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata,
  spec: z.strictObject({
    replicas: z.int().optional(),
    strategy: z.union([
      z.strictObject({ type: z.literal('Recreate') }),
      z.strictObject({
        rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.int() }),
      }),
    ]),
    selector,
    template: Pod,
  }),
});
export type Deployment = z.infer<typeof Deployment>;

const port = z.strictObject({ name: z.string(), port: z.int(), targetPort: z.literal('http') });

const IngressPath = z.strictObject({
  path: z.string(),
  pathType: z.literal('Prefix'),
  backend: z.strictObject({
    service: z.strictObject({ name: z.string(), port: z.strictObject({ name: z.literal('http') }) }),
  }),
});

const policyPort = z.strictObject({ port: z.int(), protocol: z.enum(['TCP', 'UDP']) });
const peer = z.strictObject({ podSelector: selector });

/**
 * The parts of the Kubernetes API that the manifests use. Strict, so that a misspelt field fails as it would
 * with a validating server.
 */
const Manifest = z.discriminatedUnion('kind', [
  Deployment,
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('StatefulSet'),
    metadata,
    spec: z.strictObject({
      replicas: z.literal(1),
      serviceName: z.string(),
      selector,
      template: Pod,
      volumeClaimTemplates: z.tuple([
        z.strictObject({
          metadata: z.strictObject({ name: z.string() }),
          spec: z.strictObject({
            accessModes: z.tuple([z.literal('ReadWriteOnce')]),
            storageClassName: z.string().optional(),
            resources: z.strictObject({ requests: z.strictObject({ storage: z.string() }) }),
          }),
        }),
      ]),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('networking.k8s.io/v1'),
    kind: z.literal('Ingress'),
    metadata: z.strictObject({ ...metadata.shape, annotations: labels.nullable() }),
    spec: z.strictObject({
      ingressClassName: z.string().optional(),
      tls: z.tuple([z.strictObject({ hosts: z.array(z.string()), secretName: z.string() })]).optional(),
      rules: z.tuple([
        z.strictObject({
          host: z.string(),
          http: z.strictObject({ paths: z.array(IngressPath).min(1) }),
        }),
      ]),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('ConfigMap'),
    metadata,
    data: z.record(z.string(), z.string()),
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      type: z.string().optional(),
      sessionAffinity: z.literal('ClientIP').optional(),
      selector: labels,
      ports: z.array(port),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({ maxUnavailable: z.int(), selector }),
  }),
  z.strictObject({
    apiVersion: z.literal('autoscaling/v2'),
    kind: z.literal('HorizontalPodAutoscaler'),
    metadata,
    spec: z.strictObject({
      scaleTargetRef: z.strictObject({
        apiVersion: z.literal('apps/v1'),
        kind: z.literal('Deployment'),
        name: z.string(),
      }),
      minReplicas: z.int(),
      maxReplicas: z.int(),
      metrics: z.array(
        z.strictObject({
          type: z.literal('Resource'),
          resource: z.strictObject({
            name: z.literal('cpu'),
            target: z.strictObject({ type: z.literal('Utilization'), averageUtilization: z.int() }),
          }),
        }),
      ),
      behavior: z.strictObject({ scaleDown: z.strictObject({ stabilizationWindowSeconds: z.int() }) }),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('networking.k8s.io/v1'),
    kind: z.literal('NetworkPolicy'),
    metadata,
    spec: z.strictObject({
      podSelector: selector,
      policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
      ingress: z.array(
        z.strictObject({
          from: z.array(peer),
          ports: z.array(policyPort),
        }),
      ),
      egress: z.array(z.strictObject({ to: z.array(peer).optional(), ports: z.array(policyPort) })),
    }),
  }),
]);
export type Manifest = z.infer<typeof Manifest>;

/** Reads and validates the manifests in a text of YAML documents. Throws for an unknown kind or field. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter((value) => value !== null)
    .map((value) => Manifest.parse(value));
}
