import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { build } from 'vite';
import { gapPosition } from './gapPosition.ts';
import { addresses, applyYaml } from './server.ts';
import { expect, test } from './test.ts';

// An unmodified third-party client of the protocol: the npm package aj-captcha-react, with its own
// React. It fetches the pictures, encrypts the point and creates the captchaVerification; here it
// does so against the real server.
const client = resolve(realpathSync(resolve(import.meta.dirname, '../web/node_modules/aj-captcha-react')), 'client.js');

/** The folder of a package as the client resolves it, not as the console does. */
const packageFolder = (name: string) => dirname(createRequire(client).resolve(`${name}/package.json`));

const entry = `
import React from 'react';
import { createRoot } from 'react-dom/client';
import { Captcha } from './dist/index.js';
const captcha = React.createRef();
createRoot(document.getElementById('root')).render(
  React.createElement(Captcha, { ref: captcha, type: 'slide', path: '/admin-api/system', onSuccess: (data) => { window.passed = data; } },
    React.createElement('button', { onClick: () => captcha.current.verify() }, 'Slide')));
`;

async function bundle(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { react: packageFolder('react'), 'react-dom': packageFolder('react-dom') } },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'client',
        enforce: 'pre',
        resolveId: (id) => (id === client ? id : id.endsWith('.less') ? '\0no-style' : undefined),
        load: (id) => (id === client ? entry : id === '\0no-style' ? '' : undefined),
      },
    ],
    build: { write: false, minify: false, lib: { entry: client, formats: ['iife'], name: 'client' } },
  });
  const [output] = Array.isArray(made) ? made : [made];
  if (!output || !('output' in output) || !output.output[0]) {
    throw new Error('nothing was built');
  }
  return output.output[0].code;
}

const login = '/app-api/member/auth/login-username';
const account = { tenantName: 'orchard', userName: 'slider', password: 'slides-to-the-right' };

/** Fails to sign in from an address of its own, so that no other sign-in is affected. */
async function failSignInFromOwnAddress(): Promise<void> {
  const [host, port] = addresses().http.split(':') as [string, string];
  const call = request({
    host,
    port,
    path: login,
    method: 'POST',
    localAddress: '127.0.0.9',
    headers: { 'Content-Type': 'application/json' },
  });
  call.end(JSON.stringify({ ...account, password: 'wrong' }));
  const [answer] = await once(call, 'response');
  answer.resume();
  await once(answer, 'end');
}

const signIn = (page: Page, captchaVerification?: string) =>
  page.evaluate(
    async ([path, body]) => {
      const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
      return answer.json();
    },
    [login, JSON.stringify({ ...account, captchaVerification })] as const,
  );

type Answer = {
  repCode: string;
  success: boolean;
  repData: { originalImageBase64: string; jigsawImageBase64: string; token: string };
};

/** The next answer to a call, read on its way to the page: the browser does not keep it for long. */
const answered = (page: Page, call: 'get' | 'check') =>
  new Promise<Answer>((resolve) => {
    void page.route(
      `**/admin-api/system/captcha/${call}`,
      async (route) => {
        const response = await route.fetch();
        resolve(await response.json());
        await route.fulfill({ response });
      },
      { times: 1 },
    );
  });

async function openClient(page: Page): Promise<void> {
  const body = '<!doctype html><div id="root"></div>';
  await page.route('**/another-client', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('/another-client');
  await page.addScriptTag({ content: await bundle() });
}

/** Waits until the client shows a picture and takes its next drag: the piece is back at the left. */
async function showsPicture(page: Page, { repData }: Answer): Promise<void> {
  await page.waitForFunction((end) => {
    const piece = document.querySelector<HTMLElement>('[class*="puzzle"]');
    return [...document.images].some(({ src }) => src.endsWith(end)) && piece?.style.left === '0px';
  }, repData.originalImageBase64.slice(-64));
}

/** Drags the client's slider to x of the 310 basis; its own picture is 280 pixels wide. */
async function drag(page: Page, picture: Answer, x: number): Promise<Answer> {
  await showsPicture(page, picture);
  const control = await page.locator('[class*="control"]').boundingBox();
  if (!control) {
    throw new Error('the slider is not there');
  }
  const checked = answered(page, 'check');
  const [left, top] = [control.x + 5, control.y + control.height / 2];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left + Math.round((x * 280) / 310), top, { steps: 12 });
  await page.mouse.up();
  return checked;
}

/** The result that the client delivers a second after a successful check. */
async function handedOverVerification(page: Page): Promise<string> {
  const handed = await page.waitForFunction(
    () => (window as { passed?: { captchaVerification: string } }).passed?.captchaVerification,
  );
  return String(await handed.jsonValue());
}

/** Solves a picture (another one if the first is misread) and returns its captchaVerification. */
async function solvePuzzle(page: Page, first: Answer): Promise<string> {
  let picture = first;
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const { repData } = picture;
    const next = answered(page, 'get');
    const x = gapPosition(repData.originalImageBase64, repData.jigsawImageBase64);
    const checked = await drag(page, picture, x);
    if (checked.success) {
      expect(checked).toMatchObject({
        repCode: '0000',
        repMsg: null,
        repData: { captchaType: 'blockPuzzle', token: repData.token, result: true },
      });
      return handedOverVerification(page);
    }
    expect(checked.repCode).toBe('6111');
    picture = await next;
  }
  throw new Error('four pictures in a row were not solved');
}

test('a third-party client of the protocol signs in with the slider, after a misplaced piece', async ({ page }) => {
  await applyYaml(
    `tenants: [{name: orchard, users: [{userName: ${account.userName}, password: "${account.password}", nickname: Slider}]}]`,
  );
  for (let i = 0; i < 3; i += 1) {
    await failSignInFromOwnAddress();
  }
  await openClient(page);
  const demand = { code: 601, data: { captchaRequired: true } };
  expect(await signIn(page)).toMatchObject(demand);

  const shown = answered(page, 'get');
  await page.getByRole('button', { name: 'Slide' }).click();
  const first = await shown;
  const again = answered(page, 'get');
  expect(await drag(page, first, 20)).toMatchObject({ repCode: '6111', success: false, repData: null });
  const another = await again;
  expect(another.repData.token).not.toBe(first.repData.token);

  const verification = await solvePuzzle(page, another);
  expect(await signIn(page, `${verification.slice(0, -4)}AAA=`)).toMatchObject(demand);
  expect(await signIn(page, verification)).toMatchObject({ code: 200, data: { accessToken: expect.any(String) } });
  expect(await signIn(page, verification)).toMatchObject(demand);
});
