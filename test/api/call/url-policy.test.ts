import { describe, expect, it } from 'vitest'
import { allowedUrl, urlPolicy } from '../../../src/api/call/url-policy.ts'

const policyOf = (...hosts: string[]) => urlPolicy('https://api.svc.example/v2', hosts)

describe('an allowed host of files', () => {
  it.each([
    ['files.example', 'https://files.example/1'],
    ['files.example', 'https://files.example:443/1'],
    ['files.example:443', 'https://files.example/1'],
    ['files.example:443', 'https://files.example:443/1'],
    ['files.example:8443', 'https://files.example:8443/1'],
  ])('written as %s matches the address %s', (host, address) => {
    expect(allowedUrl(policyOf(host), address).pathname).toBe('/1')
  })

  it.each([
    ['files.example', 'https://files.example:8443/1', 'files.example:8443'],
    ['files.example:8443', 'https://files.example/1', 'files.example'],
    ['files.example', 'https://sub.files.example/1', 'sub.files.example'],
  ])(
    'written as %s does not match %s, and the error names the host to add',
    (host, address, named) => {
      expect(() => allowedUrl(policyOf(host), address)).toThrow(
        `the configuration does not allow the host ${named}`,
      )
    },
  )
})
