import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import css from './AttributeChips.module.css';
import { AttributeList } from './AttributeList';
import type { Attribute } from './attributes';
import { Stroke } from './Stroke';

interface AttributeChipsProps {
  attributes: readonly Attribute[];
  selected: readonly string[];
  colors: ReadonlyMap<string, number>;
  onToggle: (id: string) => void;
}

/** On a phone: the shown attributes as the chart's legend, and a sheet to choose them. */
export function AttributeChips({ attributes, selected, colors, onToggle }: AttributeChipsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [open, setOpen] = useState(false);
  const count = { selected: format.number(selected.length), all: format.number(attributes.length) };
  return (
    <div>
      <div className={css.chips}>
        <button
          type="button"
          className={css.chip}
          onClick={() => setOpen(true)}
          aria-label={t('history.chooseAttributes', count)}
        >
          <PlusOutlined aria-hidden="true" />
          {t('history.selectedOf', count)}
        </button>
        <ul className={css.legend}>
          {attributes
            .filter(({ id }) => selected.includes(id))
            .map(({ id, name, kind }) => (
              <li key={id} className={css.chip}>
                {kind === 'words' ? null : <Stroke color={colors.get(id)} bar={kind === 'sum'} />}
                {name}
              </li>
            ))}
        </ul>
      </div>
      {selected.length === 0 ? (
        <p className={css.error} role="alert">
          {t('history.attrRequired')}
        </p>
      ) : null}
      <Drawer
        open={open}
        onClose={() => setOpen(false)}
        placement="bottom"
        size="85%"
        title={t('history.attributes')}
        closable={{ 'aria-label': t('common.close') }}
        destroyOnHidden
      >
        <AttributeList attributes={attributes} selected={selected} colors={colors} onToggle={onToggle} titled />
      </Drawer>
    </div>
  );
}
