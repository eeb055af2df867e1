/**
 * The values of tokens.css that antd needs as values, because it computes with them. A test keeps
 * the two files identical.
 */
export interface Palette {
  base: string;
  surface: string;
  sunken: string;
  raised: string;
  line: string;
  line2: string;
  ctl: string;
  ink: string;
  ink2: string;
  ink3: string;
  ink4: string;
  primary: string;
  primaryHover: string;
  primaryActive: string;
  onPrimary: string;
  primaryBg: string;
  primaryLine: string;
  water: string;
  waterBg: string;
  waterLine: string;
  grain: string;
  grainBg: string;
  grainLine: string;
  clay: string;
  clayBg: string;
  clayLine: string;
  focus: string;
}

export const palettes: Record<'light' | 'dark', Palette> = {
  light: {
    base: '#f6f5f0',
    surface: '#ffffff',
    sunken: '#eeece3',
    raised: '#ffffff',
    line: '#e4e1d7',
    line2: '#d2cec1',
    ctl: '#8a887b',
    ink: '#1b211d',
    ink2: '#475049',
    ink3: '#5f675f',
    ink4: '#8f948c',
    primary: '#2f6b4f',
    primaryHover: '#275a42',
    primaryActive: '#1f4935',
    onPrimary: '#ffffff',
    primaryBg: '#e3ede5',
    primaryLine: '#a9c6b4',
    water: '#2c6795',
    waterBg: '#e2ecf3',
    waterLine: '#abc8dc',
    grain: '#80560f',
    grainBg: '#f6ebd3',
    grainLine: '#dfc38c',
    clay: '#97452f',
    clayBg: '#f6e6e0',
    clayLine: '#ddb3a5',
    focus: '#2c6795',
  },
  dark: {
    base: '#0d110f',
    surface: '#191f1b',
    sunken: '#090c0a',
    raised: '#242b27',
    line: '#2d362f',
    line2: '#39433d',
    ctl: '#6e7971',
    ink: '#e8ece6',
    ink2: '#b7c0b8',
    ink3: '#939d95',
    ink4: '#667068',
    primary: '#7fb798',
    primaryHover: '#94c6aa',
    primaryActive: '#6ba586',
    onPrimary: '#0e1a13',
    primaryBg: '#1d2f26',
    primaryLine: '#3c5e4c',
    water: '#86b9de',
    waterBg: '#16293a',
    waterLine: '#335570',
    grain: '#ddae5c',
    grainBg: '#33270f',
    grainLine: '#634e22',
    clay: '#e39a84',
    clayBg: '#3a2019',
    clayLine: '#6e4234',
    focus: '#86b9de',
  },
};
