import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Stands in place of the children when they cannot be drawn. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Keeps a failure of one part from taking the page with it. Give it a new key to try again. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
