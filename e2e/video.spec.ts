import type { Page } from '@playwright/test';
import { addresses, applyYaml, siteOf } from './server.ts';
import { expect, test } from './test.ts';
import { openSession, openSignedIn } from './testUsers.ts';

// A camera may show a snippet of arbitrary HTML. It can do no harm, whether the console frames it
// or a user opens it.

const ranchUser = { tenantName: 'ranch', userName: 'rosa', password: 'cattle-by-the-river' };
const site = () => siteOf('ranch');

/** Tries everything harmful, and writes the results into its own page. */
const snippet = `<!doctype html><title>gate</title><body><pre id="done"></pre><script>
const found = {};
const tries = {
  parent: () => parent.document.title,
  top: () => top.localStorage.length,
  storage: () => localStorage.length,
  session: () => sessionStorage.length,
  cookie: () => document.cookie,
  database: () => indexedDB.open("x"),
  window: () => open("/device"),
};
for (const [name, attempt] of Object.entries(tries)) {
  try { found[name] = attempt() === null ? "refused" : "done"; } catch { found[name] = "refused"; }
}
if (top !== self) try { top.location = "/signup"; } catch {}
const form = document.createElement("form");
form.action = "/signup"; form.target = "_top"; document.body.append(form); form.submit();
fetch("/admin-api/system/console/settings").then(() => "done", () => "refused").then((calls) => {
  found.calls = calls;
  found.origin = self.origin;
  document.getElementById("done").textContent = JSON.stringify(found);
});
</script>`;

const refused = {
  parent: 'refused',
  storage: 'refused',
  session: 'refused',
  cookie: 'refused',
  database: 'refused',
  window: 'refused',
  calls: 'refused',
  origin: 'null',
};

test.beforeAll(() =>
  applyYaml(`
products:
  - name: gate-camera
    properties:
      - {identifier: live, functionName: Live video, dataType: text}
tenants:
  - name: ranch
    hosts: [ranch.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: rosa, password: ${ranchUser.password}, nickname: Rosa}]
    devices:
      - {deviceName: GATE-1, serial: SXT-G1, noteName: Gate, product: gate-camera, elementData: {live: ${JSON.stringify(snippet)}}}
      - {deviceName: GATE-2, serial: SXT-G2, noteName: Back gate, product: gate-camera, elementData: {live: "https://cameras.example/back.m3u8"}}
`),
);

/** The address that serves the snippet of GATE-1 for the next minute. */
async function embedAddress(): Promise<string> {
  const { accessToken } = await openSession(ranchUser);
  const answer = await fetch(`${addresses().console}/admin-api/client/pc/device/get/video?deviceName=GATE-1`, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  const { data } = await answer.json();
  expect(data.kind).toBe('embed');
  return data.url;
}

async function frame(page: Page, src: string, sandbox?: string): Promise<void> {
  await page.evaluate(
    ([address, rules]) => {
      const element = document.createElement('iframe');
      if (rules !== undefined) element.setAttribute('sandbox', rules);
      element.src = address;
      document.body.prepend(element);
    },
    [src, sandbox] as const,
  );
}

test('a snippet reaches nothing, however it is framed or opened; the page frames no other sites', async ({ page }) => {
  await openSignedIn(page, ranchUser, '/dashboard-default', site());
  const before = page.url();
  // As the console frames it, and in a frame without rules of its own.
  for (const sandbox of ['allow-scripts', undefined]) {
    await frame(page, await embedAddress(), sandbox);
    const done = page.frameLocator('iframe >> nth=0').locator('#done');
    await expect(done).toContainText('origin');
    expect(JSON.parse((await done.textContent()) ?? '')).toEqual({ ...refused, top: 'refused' });
    expect(page.url()).toBe(before);
    expect(page.context().pages()).toHaveLength(1);
  }
  const blocked = page.waitForEvent('console', (message) => /frame-src/.test(message.text()));
  await frame(page, `http://127.0.0.1:${addresses().port}/favicon.svg`);
  await blocked;

  // Opened by itself, it is its own parent and top window, so it reaches no other.
  await page.goto(`${site()}${await embedAddress()}`);
  await expect(page.locator('#done')).toContainText('origin');
  const found = JSON.parse((await page.locator('#done').textContent()) ?? '');
  expect(found).toEqual({ ...refused, parent: 'done', top: 'refused' });
});
