const IMAGE_LENGTH_MAX = 1024;
const REPOSITORY_LENGTH_MAX = 255;

const PART = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const HOST =
  '(?:[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*(?:\\.[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
/** `host:port/path/name:tag@algorithm:digest`, where host, tag and digest are optional. */
const REFERENCE = new RegExp(
  `^(?<name>(?:${HOST}/)?${PART}(?:/${PART})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
/** An image ID would match as a name, but is not one. */
const IMAGE_ID = /^[a-f0-9]{64}$/;

/**
 * Whether the default pull policy is Always. An image without a tag has the tag `latest`, which may change; a
 * digest never changes. An invalid image name has no tag.
 */
export function pullsAlways(image: string): boolean {
  if (image.length > IMAGE_LENGTH_MAX || IMAGE_ID.test(image)) return false;
  const found = REFERENCE.exec(image)?.groups;
  if (found === undefined || repositoryOf(found['name'] ?? '').length > REPOSITORY_LENGTH_MAX) return false;
  const { tag, digest } = found;
  return tag === undefined ? digest === undefined : tag === 'latest';
}

/** The name without its host. A name of one part is in the repository `library` of the default host. */
function repositoryOf(name: string): string {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const isHost = /[.:A-Z]/.test(first) || first === 'localhost';
  const repository = isHost ? name.slice(slash + 1) : name;
  const ofDefaultHost = !isHost || first === 'docker.io';
  return ofDefaultHost && !repository.includes('/') ? `library/${repository}` : repository;
}
