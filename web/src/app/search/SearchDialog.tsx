import AlertOutlined from '@ant-design/icons/AlertOutlined';
import AppstoreOutlined from '@ant-design/icons/AppstoreOutlined';
import ArrowRightOutlined from '@ant-design/icons/ArrowRightOutlined';
import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import ExceptionOutlined from '@ant-design/icons/ExceptionOutlined';
import FileOutlined from '@ant-design/icons/FileOutlined';
import LineChartOutlined from '@ant-design/icons/LineChartOutlined';
import SearchOutlined from '@ant-design/icons/SearchOutlined';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { Dialog } from '@/ui/Dialog';
import { ErrorNote } from '@/ui/ErrorNote';
import css from './SearchDialog.module.css';
import { type FoundKind, useFound } from './useFound';

const icons = {
  page: FileOutlined,
  device: DeploymentUnitOutlined,
  scene: AppstoreOutlined,
  rule: AlertOutlined,
  notice: ExceptionOutlined,
} satisfies Record<FoundKind, unknown>;

interface SearchDialogProps {
  open: boolean;
  onClose: () => void;
}

/** Finds devices, scenes, rules, notices and pages by name, and opens the chosen one; all by keyboard. */
export function SearchDialog({ open, onClose }: SearchDialogProps) {
  const { t } = useTranslation();
  // Who opens it again while it still closes does not find what was typed before.
  const [opened, setOpened] = useState({ open, times: 0 });
  if (opened.open !== open) setOpened({ open, times: opened.times + (open ? 1 : 0) });
  return (
    <Dialog open={open} title={t('search.title')} onClose={onClose} width={600}>
      <Search key={opened.times} onClose={onClose} />
    </Dialog>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const listId = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [beside, setBeside] = useState(false);
  const { groups, error, retry, busy } = useFound(text);
  const items = groups.flatMap((group) => group.items);
  const current = items[Math.min(active, items.length - 1)];
  const onHistory = beside && current?.history !== undefined;
  const currentLine = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another line is the current one
  useEffect(() => {
    currentLine.current?.scrollIntoView?.({ block: 'nearest' });
  }, [current?.id]);

  const choose = ({ open }: { open: () => void }) => {
    onClose();
    open();
  };
  const select = (index: number, history = false) => {
    setActive(index);
    setBeside(history);
  };
  const step = (by: number) => {
    const at = current ? items.indexOf(current) : 0;
    if (items.length > 0) select((at + by + items.length) % items.length);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return; // the key is for the input method
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'ArrowRight' && current?.history && event.currentTarget.selectionStart === text.length)
      setBeside(true);
    else if (event.key === 'ArrowLeft' && onHistory) setBeside(false);
    else if (event.key === 'Enter' && current) choose((onHistory && current.history) || current);
    else return;
    event.preventDefault();
  };

  return (
    <div className={css.search}>
      <div className={css.field}>
        <SearchOutlined className={css.icon} aria-hidden="true" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the user has just opened it to type
          autoFocus
          className={css.input}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={current ? `${listId}-${current.id}${onHistory ? '-history' : ''}` : undefined}
          aria-label={t('search.title')}
          inputMode="search"
          enterKeyHint="go"
          autoComplete="off"
          maxLength={64}
          placeholder={t('search.placeholder')}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            select(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <p className="visually-hidden" role="status">
        {text.trim() !== '' && !busy ? t('search.found', { n: format.number(items.length) }) : ''}
      </p>
      <div className={css.results} aria-busy={busy}>
        {error ? <ErrorNote title={errorText(error)} onRetry={retry} busy={busy} /> : null}
        {items.length === 0 && !busy && !error ? (
          <p className={css.none}>{t('search.none', { text: text.trim() })}</p>
        ) : null}
        <div id={listId} role="listbox" aria-label={t('search.results')}>
          {groups.map(({ kind, items: lines }) => {
            const Icon = icons[kind];
            return (
              // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
              <div key={kind} role="group" aria-labelledby={`${listId}-${kind}`}>
                <div className={css.kind} id={`${listId}-${kind}`} role="presentation">
                  {t(`search.kind.${kind}`)}
                </div>
                {lines.map((item) => (
                  <div
                    key={item.id}
                    ref={item === current ? currentLine : undefined}
                    role="presentation"
                    className={css.row}
                  >
                    {/* biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus */}
                    {/* biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys */}
                    <div
                      id={`${listId}-${item.id}`}
                      role="option"
                      aria-selected={item === current && !onHistory}
                      className={css.line}
                      onClick={() => choose(item)}
                      onMouseMove={() => select(items.indexOf(item))}
                    >
                      <span className={css.mark} aria-hidden="true">
                        {item.all ? <ArrowRightOutlined /> : <Icon />}
                      </span>
                      <span className={css.text}>
                        <span className={css.name}>{item.title}</span>
                        {item.detail ? <span className={css.detail}>{item.detail}</span> : null}
                      </span>
                    </div>
                    {item.history ? (
                      // biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus
                      // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
                      <div
                        id={`${listId}-${item.id}-history`}
                        role="option"
                        aria-selected={item === current && onHistory}
                        aria-label={item.history.title}
                        title={item.history.title}
                        className={css.history}
                        onClick={() => choose(item.history ?? item)}
                        onMouseMove={() => select(items.indexOf(item), true)}
                      >
                        <LineChartOutlined aria-hidden="true" />
                      </div>
                    ) : null}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      <p className={css.keys} aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {t('search.keys.move')} <kbd>→</kbd> {t('search.keys.history')} <kbd>↵</kbd>{' '}
        {t('search.keys.open')} <kbd>Esc</kbd> {t('search.keys.close')}
      </p>
    </div>
  );
}
