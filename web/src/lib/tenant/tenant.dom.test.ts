import { renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { testClient } from '@/test/renderWithProviders';
import { ok, onGet, refused } from '@/test/server';
import { defaultTenantQuery, tenantQuery } from '../http/queries';
import { safePictureUrl, setTenant, tenantId, useBranding, useTenant } from './tenant';

const path = '/admin-api/system/tenant/get-by-website';

describe('the address of a picture', () => {
  it.each([
    ['https://farm.example/logo.png', 'https://farm.example/logo.png'],
    ['http://farm.example/logo.png', 'http://farm.example/logo.png'],
    ['/files/logo.svg', 'http://farm.test/files/logo.svg'],
    [' logo.svg ', 'http://farm.test/logo.svg'],
  ])('%s is allowed', (address, href) => {
    expect(safePictureUrl(address)).toBe(href);
  });

  it.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'blob:x',
    'file:///x',
    'http://',
    '',
    '  ',
    5,
    null,
  ])('%s is refused', (address) => {
    expect(safePictureUrl(address)).toBeUndefined();
  });
});

describe('branding', () => {
  it('has the tenant’s trimmed values, and none where the tenant sets none', () => {
    setTenant({ id: 3, name: 'x', diy: { title: ' Anatolian Growers ', content: '', logo: 'javascript:1' } });
    const { result } = renderHook(useBranding);
    expect(result.current).toEqual({ title: 'Anatolian Growers' });
  });
});

describe('the look-up by host', () => {
  it('sends host and port, and stores the answer', async () => {
    let website: string | null = null;
    onGet(path, ({ request }) => {
      website = new URL(request.url).searchParams.get('website');
      return ok({ id: 12, name: 'greenfield', diy: null });
    });
    await testClient().fetchQuery(tenantQuery());
    expect(website).toBe(window.location.host);
    expect(tenantId()).toBe(12);
    expect(localStorage.getItem('tilth.tenant')).toContain('greenfield');
  });

  it('clears the stored tenant when it fails, and when the host has no tenant', async () => {
    setTenant({ id: 12, name: 'greenfield', diy: { title: 'x' } });
    onGet(path, () => refused(500));
    await expect(testClient().fetchQuery(tenantQuery())).rejects.toMatchObject({ code: 500 });
    expect(useTenant.getState().tenant).toBeNull();
    expect(tenantId()).toBe(1);

    setTenant({ id: 12, name: 'greenfield', diy: null });
    onGet(path, () => ok(null));
    await testClient().fetchQuery(tenantQuery());
    expect(tenantId()).toBe(1);
  });
});

describe('the look-up of the default tenant', () => {
  const byName = '/admin-api/system/tenant/get-id-by-name';

  it('gives the id where the host has no tenant, also after a reload; a failure clears it', async () => {
    onGet(byName, () => ok(7));
    await testClient().fetchQuery(defaultTenantQuery('demo'));
    expect(tenantId()).toBe(7);
    useTenant.setState({ defaultId: null });
    localStorage.setItem('tilth.tenant', JSON.stringify({ state: { tenant: null, defaultId: 7 }, version: 0 }));
    await useTenant.persist.rehydrate();
    expect(tenantId()).toBe(7);
    setTenant({ id: 12, name: 'greenfield', diy: null });
    expect(tenantId()).toBe(12);

    onGet(byName, () => refused(500));
    await expect(testClient().fetchQuery(defaultTenantQuery('demo'))).rejects.toMatchObject({ code: 500 });
    expect(tenantId()).toBe(1);
  });
});

describe('the stored tenant', () => {
  const stored = (tenant: unknown) =>
    localStorage.setItem('tilth.tenant', JSON.stringify({ state: { tenant }, version: 0 }));

  it('is in use again before the look-up answers', async () => {
    stored({ id: 12, name: 'greenfield', diy: { title: 'Greenfield' } });
    await useTenant.persist.rehydrate();
    expect(tenantId()).toBe(12);
    expect(renderHook(useBranding).result.current.title).toBe('Greenfield');
  });

  it.each([
    [null],
    [7],
    [{ id: '12', name: 'x', diy: null }],
    [{ id: -1, name: 'x' }],
    [{ id: 1.5, name: 'x' }],
    [{ id: 12, diy: {} }],
  ])('is no tenant when it is %j', async (tenant) => {
    stored(tenant);
    await useTenant.persist.rehydrate();
    expect(useTenant.getState().tenant).toBeNull();
    expect(tenantId()).toBe(1);
  });

  it('has no branding if the stored one is invalid', async () => {
    stored({ id: 12, name: 'x', diy: 'javascript:alert(1)' });
    await useTenant.persist.rehydrate();
    expect(useTenant.getState().tenant).toEqual({ id: 12, name: 'x', diy: null });
  });
});
