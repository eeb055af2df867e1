import { type ThemeConfig, theme } from 'antd';
import type { Theme } from '@/lib/storage/preferences';
import { type Palette, palettes } from './palette';

const font = '"Inter", system-ui, -apple-system, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';
const float = { light: '0 0 0 1px #d2cec1, 0 18px 48px -12px rgba(10, 20, 14, 0.35)', dark: '0 0 0 1px #39433d' };

/** antd's dark algorithm mutes the seed colours; this restores the designed ones. */
function exact(c: Palette): typeof theme.defaultAlgorithm {
  return (seed, map = theme.defaultAlgorithm(seed)) => ({
    ...map,
    colorPrimary: c.primary,
    colorSuccess: c.primary,
    colorInfo: c.water,
    colorWarning: c.grain,
    colorError: c.clay,
    colorLink: c.primary,
  });
}

/**
 * Complete token maps for both themes: antd's own derivation gives grey backgrounds and too weak
 * text.
 */
export function antdTheme(name: Theme, phone: boolean, still: boolean): ThemeConfig {
  const c = palettes[name];
  return {
    algorithm: [name === 'dark' ? theme.darkAlgorithm : theme.defaultAlgorithm, exact(c)],
    token: {
      colorPrimary: c.primary,
      colorPrimaryHover: c.primaryHover,
      colorPrimaryActive: c.primaryActive,
      colorPrimaryText: c.primary,
      colorPrimaryTextHover: c.primaryHover,
      colorPrimaryBg: c.primaryBg,
      colorPrimaryBgHover: c.primaryBg,
      // antd takes the colour of every focus ring from it; the console uses it for no border.
      colorPrimaryBorder: c.focus,
      colorTextLightSolid: c.onPrimary,
      colorLink: c.primary,
      colorLinkHover: c.primaryHover,
      colorLinkActive: c.primaryActive,
      colorSuccess: c.primary,
      colorSuccessBg: c.primaryBg,
      colorSuccessBorder: c.primaryLine,
      colorInfo: c.water,
      colorInfoBg: c.waterBg,
      colorInfoBorder: c.waterLine,
      colorWarning: c.grain,
      colorWarningBg: c.grainBg,
      colorWarningBorder: c.grainLine,
      // Red is for alarms alone: form errors are clay.
      colorError: c.clay,
      colorErrorHover: c.clay,
      colorErrorBg: c.clayBg,
      colorErrorBorder: c.clayLine,
      colorBgLayout: c.base,
      colorBgContainer: c.surface,
      colorBgElevated: c.raised,
      colorBgSpotlight: c.raised,
      colorBgMask: name === 'dark' ? 'rgba(0, 0, 0, 0.62)' : 'rgba(16, 21, 18, 0.44)',
      colorFillAlter: c.sunken,
      colorFillSecondary: c.sunken,
      colorFillTertiary: c.sunken,
      colorBgContainerDisabled: c.sunken,
      colorBorder: c.ctl,
      colorBorderSecondary: c.line,
      colorSplit: c.line,
      colorBorderDisabled: c.line2,
      colorText: c.ink,
      colorTextHeading: c.ink,
      colorTextLabel: c.ink,
      colorTextSecondary: c.ink2,
      colorIcon: c.ink2,
      colorTextTertiary: c.ink3,
      colorTextDescription: c.ink3,
      colorTextQuaternary: c.ink4,
      colorTextDisabled: c.ink4,
      // Set after the token that it would otherwise follow.
      colorTextPlaceholder: c.ink3,
      controlItemBgActive: c.primaryBg,
      controlItemBgActiveHover: c.primaryBg,
      controlItemBgHover: c.base,
      controlOutline: `color-mix(in srgb, ${c.focus} 22%, transparent)`,
      controlOutlineWidth: 3,
      lineWidthFocus: 2,
      borderRadius: 8,
      borderRadiusLG: 12,
      borderRadiusSM: 6,
      borderRadiusXS: 4,
      controlHeight: phone ? 44 : 36,
      controlHeightLG: 44,
      controlHeightSM: phone ? 44 : 30,
      fontFamily: font,
      fontSize: 14,
      lineHeight: 20 / 14,
      fontSizeHeading1: 28,
      fontSizeHeading2: 20,
      fontSizeHeading3: 18,
      fontSizeHeading4: 16,
      fontSizeHeading5: 15,
      fontWeightStrong: 600,
      boxShadow: float[name],
      boxShadowSecondary: float[name],
      motion: !still,
      motionDurationFast: '0.12s',
      motionDurationMid: '0.16s',
      motionDurationSlow: '0.24s',
      motionEaseOut: 'cubic-bezier(.2,.7,.2,1)',
      wireframe: false,
    },
    components: {
      Button: { fontWeight: 550, primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none' },
      Card: { headerHeight: 44, headerFontSize: 14, bodyPadding: 16 },
      DatePicker: { activeBorderColor: c.focus },
      Drawer: { colorBgElevated: c.surface },
      Input: { activeBorderColor: c.focus, ...(phone ? { inputFontSize: 16 } : {}) },
      Modal: { titleFontSize: 16 },
      Segmented: { trackBg: c.sunken, itemSelectedBg: c.raised, trackPadding: 3 },
      Select: { activeBorderColor: c.focus },
      Statistic: { titleFontSize: 13, contentFontSize: 36 },
      Switch: {
        colorTextQuaternary: c.ctl,
        colorTextTertiary: c.ctl,
        handleBg: name === 'dark' ? c.onPrimary : '#ffffff',
      },
      Table: {
        headerBg: c.surface,
        headerColor: c.ink3,
        headerSplitColor: 'transparent',
        rowHoverBg: c.base,
        rowSelectedBg: c.primaryBg,
        borderColor: c.line,
        cellPaddingBlock: 11,
        cellPaddingInline: 12,
        cellFontSize: 14,
      },
      Tabs: { horizontalItemGutter: 24, inkBarColor: c.primary },
      Tooltip: { colorTextLightSolid: c.ink },
    },
  };
}
