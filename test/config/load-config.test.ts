import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { account, jobs, useConfigFolder } from './config-folder.ts'

const { inFolder, load, refusal } = useConfigFolder()

describe('a valid configuration', () => {
  it('receives defaults and absolute paths', () => {
    const { config } = load(account.join('\n'))
    expect(config.stateDirectory).toBe(inFolder('.callsheet'))
    expect(config.reports.directory).toBe(inFolder('out'))
    expect([config.jobs.users, config.timezone]).toEqual(['0 1 * * *', 'UTC'])
    expect(config.accounts[0]).toMatchObject({ quotas: 'learn', reserve: 0.1 })
  })

  it('can set limits for some rate labels, and the others are learned', () => {
    const { config } = load(
      [...account, '    quotas: {LIGHT: {perSecond: 4, perDay: 6000}}'].join('\n'),
    )
    expect(config.accounts[0]?.quotas).toEqual({
      LIGHT: { perSecond: 4, perDay: 6000 },
      MEDIUM: 'learn',
      HEAVY: 'learn',
      'RESOURCE-INTENSIVE': 'learn',
    })
  })

  it('can use plain http only for this machine', () => {
    const text = account.join('\n')
    expect(() =>
      load(text.replace('https://api.svc.example', 'http://127.0.0.1:8080')),
    ).not.toThrow()
    expect(refusal(text.replace('https://api', 'http://api'))).toContain(
      'config.yaml:3:14 accounts[0].baseUrl: expected an https URL',
    )
    expect(refusal(text.replace('api.svc.example', 'user:pw@evil.example'))).toContain(
      'an https URL',
    )
  })
})

describe('a wrong configuration', () => {
  it.each([
    [
      'a misspelled setting',
      [...account, 'loging: {}'],
      'config.yaml:8:1 loging is not a setting; did you mean logging?',
    ],
    [
      'a misspelled setting of an account',
      [...account, '    clientID: x'],
      'config.yaml:8:5 accounts[0].clientID is not a setting; did you mean clientId?',
    ],
    [
      'an unknown neutral word',
      [...account, '    words: {SVC_FONE: ACME_PHONE}'],
      'config.yaml:8:13 accounts[0].words.SVC_FONE is not a setting; did you mean SVC_PHONE?',
    ],
    ['an app without scopes', [...account, '    app: chatbot'], '8:10 accounts[0].app: expected'],
    [
      'an own word with a blank',
      [...account, '    words: {svc: acme, SVC_PHONE: acme phone}'],
      'accounts[0].words.SVC_PHONE: expected letters, digits and _, at most 60',
    ],
    [
      'one own word for two neutral words',
      [...account, '    words: {svc: acme, SvcPorted: AcmeReserved}'],
      'accounts[0].words.SvcPorted: expected another word than AcmeReserved, which would stand for SvcPorted',
    ],
    [
      'an own word that the documents use for something else',
      [...account, '    words: {svcroom: workspace}'],
      'accounts[0].words.svcroom: expected another word than workspace.created, which would stand for',
    ],
    ['an unknown rate label', [...account, '    quotas: {LIGHTS: learn}'], 'accounts[0].quotas'],
    [
      'an unknown job',
      [...account, 'jobs: {userz: {}}'],
      'config.yaml:8:8 jobs.userz is not a setting; did you mean users?',
    ],
    ['a name unlike any setting', [...account, 'zzzzzzzz: 1'], 'known: stateDirectory, database'],
    [
      'a missing setting',
      account.slice(0, -1),
      'config.yaml:2:5 accounts[0].clientSecret is missing',
    ],
    ['no account', ['accounts: []'], 'config.yaml:1:11 accounts: expected at least 1'],
    ['an empty file', [''], 'accounts is missing'],
    ['a list instead of settings', ['- 1'], 'the file: expected settings below this name'],
    [
      'a wrong choice',
      [...account, '    quotas: bussiness'],
      'accounts[0].quotas: expected starter, pro, business, learn, or limits per label; did you mean bu',
    ],
    [
      'another wrong choice',
      [...account, 'logging: {level: inof}'],
      'expected one of debug, info, warn, error, silent; did you mean info?',
    ],
    [
      'a number for an identifier',
      [...account.slice(0, 4), '    accountId: 12', ...account.slice(5)],
      'accounts[0].accountId: expected text; put an identifier made of digits in quotes',
    ],
    [
      'a reference to an identifier',
      [...account.slice(0, 5), '    clientId: env:CLIENT_ID', ...account.slice(6)],
      'config.yaml:6:15 accounts[0].clientId: expected the identifier itself, as only secrets are named',
    ],
    [
      'a reference to a key ID',
      [...account, 'archive: {s3: {accessKeyId: "file:id"}}'],
      'archive.s3.accessKeyId: expected the identifier itself',
    ],
    [
      'a zone that does not exist',
      [...account, 'timezone: Europe/Berlim'],
      'config.yaml:8:11 timezone: expected a time zone such as',
    ],
    [
      'an offset as a time zone',
      [...account, "timezone: '+05:00'"],
      'config.yaml:8:11 timezone: expected a time zone such as',
    ],
    [
      'a schedule of four fields',
      [...account, "jobs: {users: '0 1 * *'}"],
      'a cron expression of five fields',
    ],
    [
      'a schedule with hour 25',
      [...account, "jobs: {users: '0 25 * * *'}"],
      'config.yaml:8:15 jobs.users: expected a cron expression of five fields, e.g. "0 2 * * *", or never; ' +
        'not valid: hour',
    ],
    [
      'a schedule on 31 February',
      [...account, "    jobs: {users: '0 1 31 2 *'}"],
      'accounts[0].jobs.users: expected a cron expression of five fields, e.g. "0 2 * * *", or never; ' +
        'not valid: day of month',
    ],
    [
      'a schedule whose range would fill the memory',
      [...account, "tasks: {verify: '1-9999999999 1 * * *'}"],
      'a cron expression of five fields',
    ],
    [
      'a rate of 0',
      [...account, '    quotas: {LIGHT: {perSecond: 0}}'],
      'accounts[0].quotas.LIGHT.perSecond: expected more than 0',
    ],
    [
      'a share above one',
      [...account, 'deletionGuard: {share: 10}'],
      'config.yaml:8:24 deletionGuard.share: expected at most 1',
    ],
    [
      'an API key without its secret',
      [...account, '    videoSessions: {apiKey: k}'],
      'expected both apiKey and apiSecret',
    ],
    [
      'a port above 65535',
      [...account, 'archive: {hosts: ["files.example:99999"]}'],
      'archive.hosts[0]: expected a host in lower case, with its port',
    ],
    [
      'a trusted host with an unknown credential',
      [...account, 'archive: {hosts: [{host: f.example, credential: password}]}'],
      'or {host, credential: account | jwt | jwt-in-query | download-token}',
    ],
    [
      'a trusted host with a scheme',
      [...account, 'archive: {hosts: [{host: "http://f.example", credential: account}]}'],
      'archive.hosts[0].host: expected a host in lower case, with its port',
    ],
    [
      'a host trusted twice',
      [
        ...account,
        'archive: {hosts: [{host: f.example, credential: jwt},',
        '  {host: "f.example:443", credential: jwt-in-query}]}',
      ],
      'archive.hosts: expected one credential of a host for archived files and one for recordings',
    ],
    [
      'a bucket without its name',
      [...account, 'archive: {store: s3}'],
      'archive.s3.bucket is missing',
    ],
    [
      'a bucket without its key',
      [...account, 'archive: {store: s3, s3: {bucket: b, secretAccessKey: env:S}}'],
      'config.yaml:8:26 archive.s3.accessKeyId is missing',
    ],
    [
      'a bucket without its secret key',
      [...account, 'archive: {store: s3, s3: {bucket: b, accessKeyId: k, secretAccessKey: null}}'],
      'archive.s3.secretAccessKey: expected env:NAME or file:path, as archive.store is s3',
    ],
    [
      'two accounts of one name',
      [...account, ...account.slice(1)],
      'accounts with different names',
    ],
    ['broken YAML', ['a: [1'], 'config.yaml:1:'],
    [
      'a setting given twice',
      [...account, 'deletionGuard: {}', 'deletionGuard: {}'],
      'config.yaml:9:1',
    ],
    ['an alias', ['a: &x 1', 'b: *x'], 'config.yaml:2:4: YAML aliases'],
    ['two documents', ['a: 1', '---', 'b: 1'], 'config.yaml:2'],
    ['deep nesting', [`a: ${'['.repeat(40)}${']'.repeat(40)}`], 'nested too deeply'],
    ['a hundred thousand brackets', [`a: ${'['.repeat(100_000)}`], 'config.yaml'],
    ['a file too large', ['x'.repeat(2 ** 20 + 1)], 'is larger than 1048576 bytes'],
  ])('is rejected with the place and the expected form: %s', (_name, lines, message) => {
    expect(refusal(lines.join('\n'))).toContain(message)
  })

  it('is rejected with all its problems at once', () => {
    const message = refusal(
      [...account, 'deletionGuard: {rows: -1}', 'logging: {level: loud}', 'x: 1'].join('\n'),
    )
    expect(message).toContain('3 problems')
    expect(message).toMatch(/config\.yaml:8:23 .*\n.*config\.yaml:9:18 .*\n.*config\.yaml:10:1 /)
  })

  it('is rejected without repeating a value or a control character', () => {
    const secret = 'hunter2-hunter2'
    expect(refusal([...account, `logging: {level: ${secret}}`].join('\n'))).not.toContain(secret)
    expect(refusal([...account, `deletionGuard: ${secret}`].join('\n'))).not.toContain(secret)
    for (const written of [`|${secret}`, `!${secret}!x y`, `*${secret}`, `@${secret}`])
      expect(refusal(account.join('\n').replace('env:SECRET', written))).not.toContain(secret)
    expect(refusal([...account, `x: "\\u${secret}"`].join('\n'))).not.toContain('hunt')
    expect(refusal([`%YAML ${secret}`, '---', ...account].join('\n'))).not.toContain(secret)
    expect(refusal([...account, `"\\e[2Jx": 1`].join('\n'))).not.toContain('\u001B')
  })

  it('is rejected if it is not UTF-8 or does not exist', () => {
    expect(refusal(Uint8Array.of(0x61, 0xff))).toContain('not UTF-8')
    const path = inFolder('none.yaml')
    expect(() => loadConfig({ path, jobs, environment: {} })).toThrow(
      /no such file.*callsheet init/s,
    )
    expect(() => loadConfig({ path: inFolder(''), jobs, environment: {} })).toThrow(
      /the file is a folder.*check the path/s,
    )
  })
})
