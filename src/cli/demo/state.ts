import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { DAY_MS } from '../../core/time/time.ts'
import type { DemoService } from './demo-service.ts'
import { quotaSettings } from './quota-settings.ts'

/** The state of a demo between runs, in one disposable folder. */
export interface DemoState {
  directory: string
  sandboxFile: string
  configFile: string
  /** The time at which all clocks are frozen. After a finished demo, the next demo is one night later. */
  nowMs: number
  /** The time of the night before; undefined on the first night. */
  beforeMs: number | undefined
}

export function openState(directory: string, { reset }: { reset: boolean }): DemoState {
  if (reset) rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const beforeMs = lastNightMs(directory)
  return {
    directory,
    sandboxFile: join(directory, 'company.json'),
    configFile: join(directory, 'config.yaml'),
    nowMs: beforeMs === undefined ? Date.parse(FIRST_NIGHT) : beforeMs + DAY_MS,
    beforeMs,
  }
}

/** Records that this night is over. An interrupted night is repeated. */
export function finishNight({ directory, nowMs }: DemoState): void {
  writeFileSync(join(directory, LAST_NIGHT), new Date(nowMs).toISOString())
}

function lastNightMs(directory: string): number | undefined {
  const file = join(directory, LAST_NIGHT)
  return existsSync(file) ? Date.parse(readFileSync(file, 'utf8')) : undefined
}

/** Writes an ordinary configuration, so that every other command works on the demo's data too. */
export function writeConfig(state: DemoState, service: DemoService, reports: string): void {
  const { credentials, quotas } = service
  writeSecret(state, 'client.secret', credentials.clientSecret)
  writeSecret(state, 'video.secret', credentials.apiSecret)
  const config = {
    stateDirectory: '.',
    accounts: [
      {
        name: 'demo',
        baseUrl: service.baseUrl,
        authUrl: service.authUrl,
        accountId: credentials.accountId,
        clientId: credentials.clientId,
        clientSecret: 'file:client.secret',
        videoSessions: { apiKey: credentials.apiKey, apiSecret: 'file:video.secret' },
        quotas: quotaSettings(quotas),
        reserve: 0,
      },
    ],
    reports: {
      directory: reports,
      formats: ['xlsx', 'html'],
      settings: {
        'session-quality': QUALITY_SETTINGS,
        'number-inventory': INVENTORY,
        'access-review': { licensePrices: { 1: 0, 2: 14 } },
        recordings: { rules: RECORDED },
        // The company works around the clock, so its night hours cannot be derived from the data.
        'whiteboard-audit': { nightHours: '0-6' },
      },
    },
    logging: { level: 'warn' },
  }
  const head = '# Each demo writes this file anew: keep settings of your own in a copy elsewhere.\n'
  writeFileSync(state.configFile, head + stringify(config))
}

/** The company's quality targets, and the patterns of its session keys. */
const QUALITY_SETTINGS = {
  targets: { audio: 0.02, video: 0.03, screenShare: 0.04 },
  keyGroups: [
    { name: 'Sales', pattern: '^sales-' },
    { name: 'Customer care', pattern: '^(care|support)-' },
    { name: 'Engineering', pattern: '^eng-' },
    { name: 'One-on-ones', pattern: '-one-on-one$' },
  ],
}

/** Sessions that the company requires to be recorded. */
const RECORDED = [
  { name: 'Sales calls of half an hour', sessionKeys: '^sales-', minMinutes: 30 },
  { name: 'Large sessions', minParticipants: 10, minMinutes: 45 },
]

export function hasDatabase({ directory }: Pick<DemoState, 'directory'>): boolean {
  return existsSync(join(directory, 'postgres', 'cluster', 'data', 'PG_VERSION'))
}

function writeSecret({ directory }: DemoState, name: string, value: string): void {
  writeFileSync(join(directory, name), value, { mode: 0o600 })
}

/** Prices for most of the company's numbers, so that some have none. */
const INVENTORY = {
  currency: 'EUR',
  quarantineDays: 30,
  prices: {
    NL: { Toll: 1.5, TollFree: 9, Mobile: 4 },
    GB: { Toll: 1.2, TollFree: 8, Mobile: 4.5, National: 1.1 },
    US: { Toll: 1, TollFree: 2.5, Mobile: 1.8 },
    ES: { Toll: 1.6, TollFree: 9.5 },
    SG: { Toll: 3 },
  },
}

/** A Wednesday night in July, so that the reports cover a complete June. */
const FIRST_NIGHT = '2026-07-08T02:30:00Z'
const LAST_NIGHT = 'last-night'
