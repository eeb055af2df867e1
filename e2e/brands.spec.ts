import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { fillSignIn } from './pages.ts';
import { applyYaml, siteOf } from './server.ts';
import { solveSlider } from './solveSlider.ts';
import { expect, test } from './test.ts';
import { setOwnAddress } from './testUsers.ts';

// Two tenants of one installation, each with its own branding. Two servers serve the pictures, so
// that the test can tell whose is shown.

type Brand = {
  tenant: string;
  title: string;
  content: string;
  colour: string;
  person: { userName: string; password: string; nickname: string };
  pictures: Server;
  /** The paths requested from its picture server. */
  asked: string[];
};

const brands: Brand[] = [
  {
    tenant: 'harvest',
    title: 'Harvest Hills',
    content: 'Wheat from the high plain.',
    colour: 'goldenrod',
    // The same user name in both tenants: the host decides which one signs in.
    person: { userName: 'ada', password: 'wheat-on-the-hill', nickname: 'Ada of the hills' },
  },
  {
    tenant: 'lakeside',
    title: 'Côte Verte',
    content: 'Vines above the lake.',
    colour: 'rebeccapurple',
    person: { userName: 'ada', password: 'grapes-by-the-lake', nickname: 'Ada by the lake' },
  },
].map((brand) => {
  const asked: string[] = [];
  return { ...brand, asked, pictures: pictureServer(brand.colour, asked) };
});
const [harvest, lakeside] = brands as [Brand, Brand];

const originOf = ({ pictures }: Brand) => `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
const pictureOf = (brand: Brand, name: 'logo' | 'background' | 'favicon') =>
  `${originOf(brand)}/${brand.tenant}-${name}.svg`;

function pictureServer(colour: string, asked: string[]): Server {
  return createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
    response.end(
      `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="${colour}"/></svg>`,
    );
  });
}

/** A picture that would run scripts, call other servers and restyle the page if it could. */
const hostileRequests: string[] = [];
const hostilePictures = createServer((request, response) => {
  hostileRequests.push(request.url ?? '');
  const to = `http://${request.headers.host}/called`;
  response.writeHead(200, { 'Content-Type': 'image/svg+xml', 'Access-Control-Allow-Origin': '*' });
  response.end(`<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" onload="window.hit=3;top.hit=3;fetch('${to}-onload')">
<script>window.hit=4;top.hit=4;parent.document.title='taken';fetch('${to}-script')</script>
<style>@import url('${to}-import'); body, #root { display: none } rect { fill: url('${to}-fill') }</style>
<image href="${to}-image" width="8" height="8"/><use href="${to}-use#a"/>
<foreignObject width="64" height="64"><iframe xmlns="http://www.w3.org/1999/xhtml" src="${to}-frame"/><img xmlns="http://www.w3.org/1999/xhtml" src="${to}-img" onerror="top.hit=5"/></foreignObject>
<rect width="64" height="64"/></svg>`);
});
const hostilePicture = (name: string) =>
  `http://127.0.0.1:${(hostilePictures.address() as AddressInfo).port}/${name}.svg`;

const hostileText = '<script>window.hit=1</script><img src=x onerror="window.hit=2">';

test.beforeAll(async () => {
  await Promise.all(brands.map(({ pictures }) => new Promise<void>((done) => pictures.listen(0, '127.0.0.1', done))));
  const tenants = brands.map((brand) => ({
    name: brand.tenant,
    hosts: [`${brand.tenant}.localhost`],
    timeZone: 'Europe/Istanbul',
    language: 'en-us',
    diy: {
      title: brand.title,
      content: brand.content,
      logo: pictureOf(brand, 'logo'),
      background: pictureOf(brand, 'background'),
      favicon: pictureOf(brand, 'favicon'),
    },
    users: [brand.person],
  }));
  const scripts = {
    name: 'scripts',
    hosts: ['scripts.localhost'],
    timeZone: 'Europe/Istanbul',
    language: 'en-us',
    diy: { title: hostileText, content: `${hostileText}\n{{title}}` },
  };
  await new Promise<void>((done) => hostilePictures.listen(0, '127.0.0.1', done));
  const pictures = {
    name: 'pictures',
    hosts: ['pictures.localhost'],
    timeZone: 'Europe/Istanbul',
    language: 'en-us',
    diy: {
      title: 'red;background:url(//evil.example)',
      content: 'x}body{display:none}',
      logo: hostilePicture('logo'),
      background: hostilePicture('background'),
      favicon: hostilePicture('favicon'),
    },
  };
  await applyYaml(JSON.stringify({ tenants: [...tenants, scripts, pictures] }));
});

const servers = [...brands.map(({ pictures }) => pictures), hostilePictures];
test.afterAll(() => Promise.all(servers.map((server) => new Promise((done) => server.close(done)))));

/** The page shows one brand everywhere, and nothing of the other one. */
async function expectBranding(page: Page, own: Brand, other: Brand, heading: string): Promise<void> {
  await expect(page).toHaveTitle(`${heading} · ${own.title}`);
  await expect(page.locator('link[rel="icon"]')).toHaveAttribute('href', pictureOf(own, 'favicon'));
  const logo = page.getByRole('img', { name: own.title }).first();
  await expect(logo).toHaveAttribute('src', pictureOf(own, 'logo'));
  await expectPictureLoaded(page, pictureOf(own, 'logo'));
  const everything = `${await page.content()}${await page.evaluate(() => JSON.stringify(localStorage))}`;
  for (const trace of [other.title, other.content, originOf(other), `${other.tenant}-`, other.person.nickname]) {
    expect(everything).not.toContain(trace);
  }
}

/** The page shows the picture of an address, and it is loaded. */
async function expectPictureLoaded(page: Page, address: string): Promise<void> {
  const widths = () =>
    page
      .locator(`img[src="${address}"]`)
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth));
  await expect.poll(async () => Math.max(0, ...(await widths()))).toBe(64);
}

test('each host shows its own branding and its own people, and never those of the other', async ({ page, context }) => {
  await setOwnAddress(context);
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) refused.push(message.text());
  });
  const pairs: [Brand, Brand][] = [
    [harvest, lakeside],
    [lakeside, harvest],
  ];
  for (const [own, other] of pairs) {
    await test.step(own.tenant, async () => {
      other.asked.length = 0;
      // At the second host, the user is still signed in at the first.
      const answer = await page.goto(`${siteOf(own.tenant)}/`);
      await expect(page).toHaveURL(`${siteOf(own.tenant)}/signin`);
      const policy = answer?.headers()['content-security-policy'] ?? '';
      const images = policy.split('; ').find((part) => part.startsWith('img-src')) ?? '';
      expect(images.split(' ')).toContain(originOf(own));
      expect(policy).not.toContain(originOf(other));

      await expectBranding(page, own, other, 'Sign in');
      await expect(page.getByText(own.content)).toBeVisible();
      await expectPictureLoaded(page, pictureOf(own, 'background'));

      await fillSignIn(page, other.person.userName, other.person.password);
      await solveSlider(page);
      await expect(page.getByText('User name or password is wrong')).toBeVisible();
      await expect(page).toHaveURL(/\/signin/);
      await fillSignIn(page, own.person.userName, own.person.password);
      await solveSlider(page);
      await expect(page).toHaveURL(`${siteOf(own.tenant)}/dashboard-default`);
      await expect(page.getByRole('banner')).toContainText(own.person.nickname);
      await expectBranding(page, own, other, 'Home page');

      await page.goto(`${siteOf(own.tenant)}/nowhere`);
      await expectBranding(page, own, other, 'There is no such page');
      expect({ refused, asked: other.asked }).toEqual({ refused: [], asked: [] });
    });
  }

  const answer = await page.goto(`${siteOf('nobody')}/signin`);
  await expect(page).toHaveTitle('Sign in · Tilth');
  await expect(page.locator('link[rel="icon"]')).toHaveAttribute('href', '/favicon.svg');
  const everything = `${await page.content()}${answer?.headers()['content-security-policy']}`;
  for (const brand of brands) {
    for (const trace of [brand.title, brand.content, originOf(brand)]) expect(everything).not.toContain(trace);
  }
});

test('a title that looks like a script stays text, and hostile pictures are only drawn', async ({ page }) => {
  await page.goto(`${siteOf('scripts')}/signin`);
  await expect(page).toHaveTitle(`Sign in · ${hostileText}`);
  await expect(page.getByText(hostileText).first()).toBeVisible();
  await expect(page.getByText('{{title}}')).toBeVisible();
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
  await expect(page.locator('img[src="x"]')).toHaveCount(0);

  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (/called|evil/.test(request.url())) elsewhere.push(request.url());
  });
  await page.goto(`${siteOf('pictures')}/signin`);
  for (const name of ['logo', 'background']) await expectPictureLoaded(page, hostilePicture(name));
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page).toHaveTitle('Sign in · red;background:url(//evil.example)');
  await expect(page.getByText('x}body{display:none}')).toBeVisible();
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBeUndefined();
  expect(hostileRequests.filter((path) => !/^\/(logo|background|favicon)\.svg$/.test(path))).toEqual([]);
  expect(elsewhere).toEqual([]);
});
