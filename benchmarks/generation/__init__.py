"""Pages from models at scale: how soon they are asked for, what fails, what kills cost.

pytest runs as users run it, in processes of its own, with the real plugin, gateway and
client before the mock endpoint. Only the evaluation is a stand-in that needs no browser
(`tests/plugin/project_conftest.py`): what is measured is how pages come to be.
"""
