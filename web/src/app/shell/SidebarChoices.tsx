import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import CheckOutlined from '@ant-design/icons/CheckOutlined';
import { useTranslation } from 'react-i18next';
import { sidebarColors, usePreferences } from '@/lib/storage/preferences';
import css from './SidebarChoices.module.css';

/** Six swatches with their names. They are radio buttons, so arrow keys move between them. */
export function SidebarColors() {
  const { t } = useTranslation();
  const { sidebarColor, set } = usePreferences();
  return (
    <fieldset className={css.group}>
      <legend className={css.legend}>{t('settings.sidebarColor')}</legend>
      <div className={css.two}>
        {sidebarColors.map((color) => (
          <label key={color} className={css.choice}>
            <input
              type="radio"
              name="sidebar-color"
              className="visually-hidden"
              checked={sidebarColor === color}
              onChange={() => set({ sidebarColor: color })}
            />
            <span className={css.swatch} data-color={color} aria-hidden="true">
              {sidebarColor === color ? <CheckOutlined /> : null}
            </span>
            {t(`settings.color.${color}`)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** White or dark, each with a small preview. */
export function SidebarTypes() {
  const { t } = useTranslation();
  const { sidebarType, set } = usePreferences();
  return (
    <fieldset className={css.group}>
      <legend className={css.legend}>{t('settings.sidebarType')}</legend>
      <div className={css.two}>
        {(['white', 'dark'] as const).map((type) => (
          <label key={type} className={`${css.choice} ${css.type}`}>
            <input
              type="radio"
              name="sidebar-type"
              className="visually-hidden"
              checked={sidebarType === type}
              onChange={() => set({ sidebarType: type })}
            />
            <span className={css.picture} data-type={type} aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
            <span className={css.typeName}>
              {sidebarType === type ? <CheckCircleFilled className={css.tick} aria-hidden="true" /> : null}
              {t(`settings.type.${type}`)}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
