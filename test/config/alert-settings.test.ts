import { describe, expect, it } from 'vitest'
import { account, useConfigFolder } from './config-folder.ts'

const { inFolder, load, refusal } = useConfigFolder()

const withLines = (...lines: string[]): string => [...account, ...lines].join('\n')

describe('the settings of mail and alerts', () => {
  it('have no mail server and no recipients by default', () => {
    const { config } = load(withLines())
    expect(config.alerts).toMatchObject({ level: 'red', mail: null, ping: null })
    expect(config.mail).toMatchObject({ host: null, port: 587 })
  })

  it('can read secrets from the environment, and have paths relative to the configuration’s folder', () => {
    const { config, warnings } = load(
      withLines(
        'mail: {host: mail.example.com, user: u, password: env:PW, from: c@example.com}',
        'alerts:',
        '  mail: {to: [a@example.com]}',
        '  webhook: {url: env:HOOK, bearer: env:BEARER}',
        '  command: [bin/tell, --now]',
        '  ping: env:PING',
      ),
      { PW: 'pw-1', HOOK: 'https://hook.example.com/secret' },
    )
    expect(warnings).toEqual([])
    expect(config.mail.password?.reveal()).toBe('pw-1')
    expect(config.alerts.command).toEqual([inFolder('bin/tell'), '--now'])
    expect(config.alerts.webhook?.form).toBe('json')
    expect(JSON.stringify(config)).not.toMatch(/pw-1|hook\.example/)
  })

  it('keep the name of a program without a folder unchanged', () => {
    expect(load(withLines('alerts: {command: [logger]}')).config.alerts.command).toEqual(['logger'])
  })

  it('cause a warning about a secret in the configuration file', () => {
    const { warnings } = load(withLines('alerts: {ping: "https://hc.example.com/secret"}'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('alerts.ping')
    expect(warnings[0]).not.toContain('hc.example')
  })
})

describe('wrong settings of mail and alerts', () => {
  it.each([
    ['alerts: {mail: {to: [a@example.com]}}', 'alerts.mail: expected mail.host too'],
    [
      'reports: {jobs: {monthly: {deliver: {mail: [a@example.com]}}}}',
      'reports.jobs.monthly.deliver.mail: expected mail.host too',
    ],
    [
      'reports: {jobs: {monthly: {deliver: {s3: true}}}}',
      'reports.jobs.monthly.deliver.s3: expected archive.s3.bucket',
    ],
    ['reports: {jobs: {weekly: {}}}', 'reports.jobs.weekly'],
    ['alerts: {mail: {to: []}}', 'alerts.mail.to: expected at least one address'],
    ['alerts: {mail: {to: ["A <a@b.c>"]}}', 'alerts.mail.to[0]: expected a mail address'],
    [
      'alerts: {mail: {to: ["a@b.c\\r\\nbcc: x@y.z"]}}',
      'alerts.mail.to[0]: expected a mail address',
    ],
    ['alerts: {webhook: {}}', 'alerts.webhook.url is missing'],
    ['alerts: {webhook: {url: env:A, forms: slack}}', 'did you mean form?'],
    ['alerts: {command: logger}', 'alerts.command: expected'],
    ['alerts: {command: []}', 'alerts.command: expected a program and its arguments'],
    ['alerts: {command: ["a\\0b"]}', 'alerts.command[0]: expected a word without NUL'],
    ['alerts: {levle: red}', 'did you mean level?'],
    ['mail: {host: mail.example.com}', 'mail.from is missing'],
    ['mail: {host: localhost, from: a@b.c, user: u}', 'mail.password is missing'],
    ['mail: {host: localhost, from: a@b.c, password: env:P}', 'mail.user is missing'],
    ['mail: {host: "a.example/x", from: a@b.c}', 'mail.host: expected the name of a mail server'],
  ])('are rejected: %s', (line, message) => {
    expect(refusal(withLines(line))).toContain(message)
  })
})
