export interface KubeconfigParts {
  readonly url: string;
  /** PEM texts. */
  readonly ca: string;
  readonly user: string;
  readonly cert: string;
  readonly key: string;
}

/** A kubeconfig with one cluster, one user and one context; everything it needs is inside. */
export function kubeconfigText(parts: KubeconfigParts): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return `apiVersion: v1
kind: Config
clusters:
- name: trireme
  cluster:
    server: ${parts.url}
    certificate-authority-data: ${base64(parts.ca)}
users:
- name: ${parts.user}
  user:
    client-certificate-data: ${base64(parts.cert)}
    client-key-data: ${base64(parts.key)}
contexts:
- name: ${parts.user}@trireme
  context:
    cluster: trireme
    user: ${parts.user}
current-context: ${parts.user}@trireme
preferences: {}
`;
}
