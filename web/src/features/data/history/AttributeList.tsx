import CloseCircleFilled from '@ant-design/icons/CloseCircleFilled';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { Checkbox, Input } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { foldForSearch } from '@/lib/text/foldForSearch';
import { DerivationNote } from '@/ui/DerivationNote';
import css from './AttributeList.module.css';
import { type Attribute, isDrawn, maxDrawn } from './attributes';
import { Stroke } from './Stroke';

interface AttributeListProps {
  attributes: readonly Attribute[];
  selected: readonly string[];
  colors: ReadonlyMap<string, number>;
  onToggle: (id: string) => void;
  /** The surrounding element already has this title, so it is given only to screen readers. */
  titled?: boolean;
}

/** From this number of attributes on, the list has a search field. */
const minSearchable = 8;

/** Chooses which attributes are shown; each with its stroke and unit. */
export function AttributeList({ attributes, selected, colors, onToggle, titled = false }: AttributeListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const [text, setText] = useState('');
  const wanted = foldForSearch(text.trim());
  const found = attributes.filter(({ name }) => foldForSearch(name).includes(wanted));
  const drawn = attributes.filter((attribute) => isDrawn(attribute) && selected.includes(attribute.id));
  const full = drawn.length >= maxDrawn;
  return (
    <fieldset className={css.list} aria-describedby={selected.length === 0 ? `${id}-error` : undefined}>
      <legend className={css.head}>
        <span className={titled ? 'visually-hidden' : css.title}>{t('history.attributes')}</span>
        <span className={css.count}>
          {t('history.selectedOf', { selected: format.number(selected.length), all: format.number(attributes.length) })}
        </span>
      </legend>
      {attributes.length >= minSearchable ? (
        <Input
          className={css.search}
          prefix={<SearchOutlined aria-hidden="true" />}
          placeholder={t('history.find')}
          aria-label={t('history.find')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          // By default antd labels the button with its icon's English name.
          allowClear={{ clearIcon: <CloseCircleFilled aria-label={t('home.search.clear')} /> }}
        />
      ) : null}
      {selected.length === 0 ? (
        <p id={`${id}-error`} className={css.error} role="alert">
          {t('history.attrRequired')}
        </p>
      ) : null}
      {full ? <p className={css.hint}>{t('history.mostDrawn', { most: maxDrawn })}</p> : null}
      <ul>
        {found.map((attribute) => {
          const on = selected.includes(attribute.id);
          const color = colors.get(attribute.id);
          return (
            <li key={attribute.id} className={css.entry}>
              <Checkbox
                className={css.row}
                checked={on}
                disabled={!on && full && isDrawn(attribute)}
                onChange={() => onToggle(attribute.id)}
              >
                <span className={css.cells}>
                  {isDrawn(attribute) ? <Stroke color={on ? color : undefined} bar={attribute.kind === 'sum'} /> : null}
                  <span className={`${css.name} ${on ? '' : css.off}`}>{keepUnitsTogether(attribute.name)}</span>
                  <span className={css.unit}>{format.unit(attribute.unit, attribute.name)}</span>
                </span>
              </Checkbox>
              {attribute.derivation ? <DerivationNote derivation={attribute.derivation} /> : null}
            </li>
          );
        })}
      </ul>
      {found.length === 0 ? <p className={css.hint}>{t('history.noneFound')}</p> : null}
    </fieldset>
  );
}

/** Keeps a number and its unit on one line: 10 cm. */
const keepUnitsTogether = (name: string) => name.replace(/(\d)\s(?=\p{L})/gu, '$1\u00a0');
