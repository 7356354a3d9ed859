/** A package of the lock file, as npm writes it. */
interface LockedPackage {
  version: string
  name?: string
  license?: string
  integrity?: string
  resolved?: string
  dev?: boolean
  optional?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/**
 * The software bill of materials of a lock file (CycloneDX 1.6, JSON): every package that an installation
 * may have, with its license, its digest and what it depends on. `npm sbom` refuses a lock file whose
 * overrides reach into a bundled package, as ours do.
 */
export function sbomOf(lockFile: string, madeAt: string): string {
  const { packages } = JSON.parse(lockFile) as { packages: Record<string, LockedPackage> }
  const { '': root, ...others } = packages
  if (root?.name === undefined) throw new Error('the lock file does not name its package')
  const builtIn = new Set(BUILT_IN.map((name) => `node_modules/${name}`))
  const kept = Object.entries(others).filter(([path, one]) => one.dev !== true || builtIn.has(path))
  const refs = new Map(kept.map(([path, one]) => [path, purlOf(nameAt(path), one.version)]))
  const components = kept.map(([path, one]) => ({
    ...componentOf(nameAt(path), one),
    scope: one.optional === true ? 'optional' : 'required',
    hashes: one.integrity === undefined ? [] : [hashOf(one.integrity)],
  }))
  const dependsOn = (path: string, one: LockedPackage): string[] => {
    const names = Object.keys({
      ...one.dependencies,
      ...one.optionalDependencies,
      // Of our own only, and only what is built in: no other one is kept.
      ...one.devDependencies,
    })
    return names.flatMap((name) => resolve(refs, path, name) ?? []).sort()
  }
  const unique = new Map(components.map((one) => [one['bom-ref'], one]))
  const edges = new Map(kept.map(([path, one]) => [refs.get(path), dependsOn(path, one)]))
  const product = { ...componentOf(root.name, root), type: 'application' }
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: madeAt, component: product },
    components: [...unique.values()],
    dependencies: [
      { ref: product['bom-ref'], dependsOn: dependsOn('', root) },
      ...[...edges].map(([ref, on]) => ({ ref, dependsOn: on })),
    ],
  }
  return `${JSON.stringify(bom, undefined, 2)}\n`
}

/** Packages that are in our files and in no installation (`rolldown.config.ts`). */
export const BUILT_IN = [
  '@modelcontextprotocol/sdk',
  'ajv',
  'ajv-formats',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
  'zod-to-json-schema',
]

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function componentOf(name: string, { version, license }: LockedPackage) {
  const purl = purlOf(name, version)
  const licenses = license === undefined ? [] : [{ expression: license }]
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses }
}

/** `sha512-BASE64`, as the lock file has it. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-')
  const alg = algorithm.toUpperCase().replace(/^SHA(\d+)$/, 'SHA-$1')
  return { alg, content: Buffer.from(digest, 'base64').toString('hex') }
}

/** Node looks for a package beside the one that imports it, then in each folder above. */
function resolve(
  refs: ReadonlyMap<string, string>,
  from: string,
  name: string,
): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))
  ) {
    const found = refs.get(`${folder === '' ? '' : `${folder}/`}node_modules/${name}`)
    if (found !== undefined || folder === '') return found
  }
}
