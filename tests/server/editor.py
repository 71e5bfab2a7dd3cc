"""An editor that starts the real server and speaks to it, for the tests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PATIENCE = 120.0  # seconds


class Editor:
    """One session over a folder. ``told`` has the last diagnostics of each file, by its path."""

    def __init__(self, folder: Path, encodings: Sequence[types.PositionEncodingKind] = ()) -> None:
        self.folder = folder
        self.told: dict[Path, list[types.Diagnostic]] = {}
        self.messages: list[str] = []
        self._encodings = list(encodings)
        self._client = LanguageClient("editor", "1")
        self._version = 0
        self._news = asyncio.Event()

        @self._client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def diagnostics(params: types.PublishDiagnosticsParams) -> None:
            self.told[Path(params.uri.removeprefix("file://"))] = list(params.diagnostics)
            self._news.set()

        @self._client.feature(types.WINDOW_SHOW_MESSAGE)
        def message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._news.set()

    async def __aenter__(self) -> Editor:
        await self._client.start_io(sys.executable, "-m", "dlint", "server", cwd=self.folder)
        general = types.GeneralClientCapabilities(position_encodings=self._encodings or None)
        result = await self._client.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(general=general),
                workspace_folders=[types.WorkspaceFolder(self.uri("."), "tree")],
            )
        )
        self.capabilities = result.capabilities
        self._client.initialized(types.InitializedParams())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.shutdown_async(None)
        self._client.exit(None)
        self.code = await asyncio.wait_for(self.server.wait(), PATIENCE)

    @property
    def server(self) -> asyncio.subprocess.Process:
        """The server's process."""
        server = self._client._server
        assert server is not None
        return server

    def uri(self, name: str) -> str:
        return (self.folder / name).resolve().as_uri()

    def open(self, name: str, text: str) -> None:
        self._version += 1
        item = types.TextDocumentItem(self.uri(name), "python", self._version, text)
        self._client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, text: str) -> None:
        self._version += 1
        self._client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._version, self.uri(name)),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def save(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self._client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    def close(self, name: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(name))
        self._client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def shows(self, name: str, *codes: str) -> list[types.Diagnostic]:
        """Wait until a file has exactly these codes."""
        return await self.until(name, lambda told: sorted(str(each.code) for each in told) == sorted(codes))

    async def until(self, name: str, is_right: Any) -> list[types.Diagnostic]:
        path = (self.folder / name).resolve()

        async def wait() -> None:
            while path not in self.told or not is_right(self.told[path]):
                self._news.clear()
                await self._news.wait()

        await asyncio.wait_for(wait(), PATIENCE)
        return self.told[path]

    async def hears(self, words: str) -> None:
        """Wait for a message with these words."""

        async def wait() -> None:
            while not any(words in message for message in self.messages):
                self._news.clear()
                await self._news.wait()

        await asyncio.wait_for(wait(), PATIENCE)

    async def actions(self, name: str, line: int) -> dict[str, types.CodeAction]:
        """What is offered on a line (from 1), by its title."""
        found = await self._client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri(name)),
                types.Range(types.Position(line - 1, 0), types.Position(line - 1, 1000)),
                types.CodeActionContext([]),
            )
        )
        return {each.title: each for each in found or () if isinstance(each, types.CodeAction)}

    async def done(self, action: types.CodeAction) -> dict[str, list[types.TextEdit]]:
        """What an action would change, by the name of the file."""
        resolved = await self._client.code_action_resolve_async(action)
        changes = resolved.edit.document_changes if resolved.edit is not None else None
        return {
            Path(change.text_document.uri).name: [e for e in change.edits if isinstance(e, types.TextEdit)]
            for change in changes or ()
            if isinstance(change, types.TextDocumentEdit)
        }

    async def hover(self, name: str, line: int, character: int) -> str | None:
        found = await self._client.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(self.uri(name)), types.Position(line - 1, character)
            )
        )
        return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else None


def edited(text: str, edits: Sequence[types.TextEdit]) -> str:
    """A text after edits of whole lines."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda each: each.range.start.line, reverse=True):
        lines[edit.range.start.line : edit.range.end.line] = [edit.new_text]
    return "".join(lines)
