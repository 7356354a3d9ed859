import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { loadConfig } from '../src/config/load-config.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
}

describe('the Kubernetes manifest', () => {
  const text = readFileSync(join(root, 'packaging', 'kubernetes.yaml'), 'utf8')
  const [configMap, deployment, service] = parseAllDocuments(text).map(
    (document) => document.toJS() as Manifest,
  )
  const pod = deployment?.spec?.template?.spec
  const [container] = pod?.containers ?? []

  it('has a configuration that Callsheet accepts, and a secret for each of its variables', () => {
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-manifest-'))
    const path = join(folder, 'config.yaml')
    writeFileSync(path, configMap?.data?.['config.yaml'] ?? '')
    const environment = {
      CALLSHEET_TOKEN_KEY: '00'.repeat(32),
      DATABASE_URL: 'postgresql://callsheet:pw@database.example/callsheet?sslmode=verify-full',
    }
    const { config } = loadConfig({ path, environment, jobs: [], reportJobs: [] })
    rmSync(folder, { recursive: true })
    expect(config.accounts.map(({ name }) => name)).toEqual(['main'])
    expect(config.serve.host).toBe('0.0.0.0')
    expect(container?.envFrom).toEqual([{ secretRef: { name: 'callsheet' } }])
  })

  it('runs without root, privileges or a writable root file system, and stops in time', () => {
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 })
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod?.terminationGracePeriodSeconds).toBe(15)
    expect(container?.image).toBe(`callsheet:${version}`)
  })

  it('probes /livez and /readyz of the status port, and mounts exactly its volumes', () => {
    expect(container?.livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'status' })
    expect(container?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'status' })
    expect(container?.ports).toEqual([{ name: 'status', containerPort: 8091 }])
    expect(service?.spec?.selector).toEqual(deployment?.spec?.selector?.matchLabels)
    const mounted = container?.volumeMounts?.map(({ name }) => name)
    expect(mounted).toEqual(pod?.volumes?.map(({ name }) => name))
  })
})

/** What the tests read of a manifest. */
interface Manifest {
  data?: Record<string, string>
  spec?: {
    selector?: { matchLabels?: object }
    template?: {
      spec?: {
        terminationGracePeriodSeconds?: number
        securityContext?: object
        containers?: Container[]
        volumes?: { name: string }[]
      }
    }
  }
}

interface Container {
  image?: string
  envFrom?: object[]
  ports?: object[]
  securityContext?: object
  livenessProbe?: { httpGet?: object }
  readinessProbe?: { httpGet?: object }
  volumeMounts?: { name: string }[]
}
