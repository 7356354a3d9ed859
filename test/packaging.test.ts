import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

/** No container engine is at hand here: what files promise is read in them. */
const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '..', 'packaging', name), 'utf8')

describe('the container image', () => {
  const steps = instructions(read('Dockerfile'))
  const last = steps.findLastIndex(({ word }) => word === 'FROM')
  const final = steps.slice(last)
  const of = (word: string) => final.filter((step) => step.word === word).map(({ rest }) => rest)

  it('is built from base images with exact versions', () => {
    const bases = steps.filter(({ word }) => word === 'FROM').map(({ rest }) => rest)
    expect(bases.length).toBe(2)
    for (const base of bases) expect(base).toMatch(/^node:\d+\.\d+\.\d+-[a-z]+-slim(?: AS \w+)?$/)
  })

  it('has no tools for building or fetching in its last stage', () => {
    expect(of('RUN').join('\n')).not.toMatch(
      /apt-get|apk |npm (?:ci|install)|curl|wget|python|make /,
    )
    expect(of('COPY')).toEqual(['--from=build /app /app'])
    expect(of('ADD')).toEqual([])
  })

  it('runs as a user who is not root, and names no secret', () => {
    const [user = ''] = of('USER')
    expect(user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/)
    expect(final.findIndex(({ word }) => word === 'USER')).toBeLessThan(
      final.findIndex(({ word }) => word === 'ENTRYPOINT'),
    )
    expect(of('ENV').join(' ')).not.toMatch(/secret|token|password|key/i)
    expect([of('ENTRYPOINT'), of('CMD')]).toEqual([
      ['["node", "/app/node_modules/callsheet/dist/callsheet.js"]'],
      ['["serve"]'],
    ])
  })

  it.each([
    [200, 0],
    [503, 1],
  ])('has a health check by node: for HTTP %i, it exits with %i', async (status, code) => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/livez' ? status : 404).end()
    })
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
    expect(await healthCheck((server.address() as AddressInfo).port)).toBe(code)
    await new Promise((done) => void server.close(done))
  })

  it('is unhealthy if nothing responds', async () => {
    expect(await healthCheck(1)).toBe(1)
  })

  function healthCheck(port: number): Promise<number> {
    const [, command = '[]'] = /CMD (\[.*\])$/.exec(of('HEALTHCHECK')[0] ?? '') ?? []
    const [program, ...words] = JSON.parse(command) as string[]
    expect([program, words[0]]).toEqual(['node', '-e'])
    expect(words[1]).toContain(':8091/livez')
    const code = words[1]?.replace('8091', String(port)) ?? ''
    return new Promise((resolve) => {
      const child = execFile(process.execPath, ['-e', code])
      child.once('close', (ended) => resolve(ended ?? -1))
    })
  }
})

describe('the Compose file', () => {
  const compose = parse(read('compose.yaml')) as {
    services: Record<string, Record<string, unknown>>
    volumes: Record<string, unknown>
  }

  it('runs Callsheet on a read-only file system, without privileges', () => {
    expect(compose.services.callsheet).toMatchObject({
      read_only: true,
      init: true,
      user: expect.stringMatching(/^[1-9]\d+:[1-9]\d+$/) as string,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '15s',
      volumes: ['./config:/config:ro', 'callsheet:/data'],
    })
  })

  it('stores the data of a fixed Postgres version, and publishes only the status page, locally', () => {
    const { database } = compose.services
    expect(database?.image).toMatch(/^postgres:\d+\.\d+-\w+$/)
    expect(database?.volumes).toEqual(['database:/var/lib/postgresql'])
    expect(Object.keys(compose.volumes)).toEqual(['callsheet', 'database'])
    expect(compose.services.callsheet?.ports).toEqual(['127.0.0.1:8091:8091'])
    expect(database).not.toHaveProperty('ports')
    for (const service of Object.values(compose.services)) {
      expect(service.restart).toBe('unless-stopped')
      expect(service).not.toHaveProperty('environment')
    }
  })
})

describe('the systemd unit', () => {
  const unit = read('callsheet.service')
  const settings = unit.split('\n').filter((line) => /^\w+=/.test(line))

  it.each([
    'User=callsheet',
    'ProtectSystem=strict',
    'ReadWritePaths=/var/lib/callsheet',
    'ProtectHome=true',
    'PrivateTmp=true',
    'NoNewPrivileges=true',
    'CapabilityBoundingSet=',
    'Restart=on-failure',
    'RestartPreventExitStatus=2',
    'SuccessExitStatus=143',
    'TimeoutStopSec=15',
    'ExecStart=/usr/bin/callsheet serve --config /etc/callsheet/config.yaml',
  ])('contains %s', (line) => {
    expect(settings).toContain(line)
  })

  it('is accepted by systemd', (context) => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
      process.stdout.write('NOT RUN: systemd-analyze verify, which this machine lacks\n')
      context.skip()
    }
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-unit-'))
    const path = join(folder, 'callsheet.service')
    // It looks for the program too, which lies elsewhere here.
    writeFileSync(path, unit.replace('/usr/bin/callsheet', process.execPath))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    expect([status, stderr]).toEqual([0, ''])
  })
})

interface Step {
  word: string
  rest: string
}

function instructions(text: string): Step[] {
  const whole = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '')
  return whole.split('\n').flatMap((line) => {
    const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return word === undefined || rest === undefined ? [] : [{ word, rest }]
  })
}

describe('the npm package', () => {
  const root = join(import.meta.dirname, '..')
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    files: string[]
  }
  const isPacked = (path: string): boolean =>
    files.some((packed) => path === packed || path.startsWith(`${packed}/`)) ||
    ALWAYS_PACKED.has(path)
  const pages = ['', 'docs', 'packaging']
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
    .filter((path) => /\.(?:md|yaml)$/.test(path) && isPacked(path))

  it('contains every file that its pages link to or tell users to use', () => {
    expect(pages.length).toBeGreaterThan(20)
    const used = pages.flatMap((page) => usedIn(page, readFileSync(join(root, page), 'utf8')))
    expect(used).toEqual(
      expect.arrayContaining(['packaging/compose.yaml', 'packaging/Dockerfile', 'docs/scale.md']),
    )
    expect(used.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect([...new Set(used)].filter((path) => !isPacked(path))).toEqual([])
  })
})

/** Targets of links, and paths of files that are there to be copied or run. */
function usedIn(page: string, text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) =>
    join(dirname(page), target),
  )
  const named = [
    ...text.matchAll(/\b(?:packaging\/[\w.-]*\w|config\.(?:example\.yaml|schema\.json))/g),
  ]
  return [...links, ...named.map(([path]) => path)]
}

const ALWAYS_PACKED = new Set(['package.json', 'README.md', 'LICENSE'])
