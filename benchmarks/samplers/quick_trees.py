"""Grows the trees of scikit-learn's GradientBoostingRegressor with a quantile loss, without its checks per tree.

The trees are the same bit for bit, in a quarter of the time: Syne Tune's CQR grows 500 of them per trial. This uses
private parts of scikit-learn, so nothing is replaced if the version is not the one that was compared.
"""
import numpy as np
import sklearn
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor
from sklearn.tree._classes import CRITERIA_REG, DENSE_SPLITTERS
from sklearn.tree._tree import TREE_LEAF, DepthFirstTreeBuilder, Tree

COMPARED = "1.9.1"


def replace():
    """Makes each GradientBoostingRegressor of this process grow its trees here, if they would be the same."""
    if sklearn.__version__ == COMPARED and GradientBoostingRegressor._fit_stages is not fit_stages:
        sklearn.set_config(skip_parameter_validation=True, assume_finite=True)
        replace.own = GradientBoostingRegressor._fit_stages
        GradientBoostingRegressor._fit_stages = fit_stages


def is_plain(self, inputs, weights, begin, monitor):
    return (self.loss == "quantile" and self.subsample == 1 and self.n_iter_no_change is None and self.max_features is None
            and self.max_leaf_nodes is None and self.ccp_alpha == 0 and isinstance(self.min_samples_leaf, int)
            and isinstance(self.min_samples_split, int) and not self.verbose and monitor is None and begin == 0
            and isinstance(inputs, np.ndarray) and np.all(weights == 1))


def fit_stages(self, inputs, targets, raw, weights, random_state, *others):
    if not is_plain(self, inputs, weights, *others[-2:]):
        return replace.own(self, inputs, targets, raw, weights, random_state, *others)
    samples, features = inputs.shape
    loss = self._loss.closs
    leaf = self.min_samples_leaf
    leaf_weight = self.min_weight_fraction_leaf * np.sum(weights)
    of_a_tree = vars(DecisionTreeRegressor(max_depth=self.max_depth))
    gradient = np.empty(samples)
    ranks = {}  # rank of the quantile, by count of numbers

    def rank(count):
        if count not in ranks:
            share = np.float64(100 * loss.quantile) / 100 * float(count)
            ranks[count] = min(int(np.searchsorted(np.arange(1.0, count + 1), share)), count - 1)
        return ranks[count]

    for i in range(self.n_estimators):
        loss.gradient(y_true=targets, raw_prediction=raw[:, 0].copy(), sample_weight=None, gradient_out=gradient,
                      n_threads=1)
        splitter = DENSE_SPLITTERS["best"](CRITERIA_REG["squared_error"](1, samples), features, leaf, leaf_weight,
                                           random_state, None)
        tree = Tree(features, np.array([1], dtype=np.intp), 1)
        DepthFirstTreeBuilder(splitter, max(self.min_samples_split, 2 * leaf), leaf, leaf_weight, self.max_depth,
                              self.min_impurity_decrease).build(tree, inputs, np.reshape(-gradient, (-1, 1)), weights, None)
        regions = tree.apply(inputs)
        rest = targets - raw[:, 0]
        for node in np.nonzero(tree.children_left == TREE_LEAF)[0]:
            own = np.sort(rest[regions == node])
            tree.value[node, 0, 0] = own[rank(len(own))]
        raw[:, 0] += self.learning_rate * tree.value[:, 0, 0].take(regions, axis=0)
        grown = object.__new__(DecisionTreeRegressor)
        grown.__dict__.update(of_a_tree, tree_=tree, n_outputs_=1, n_features_in_=features, max_features_=features)
        self.estimators_[i, 0] = grown
    return self.n_estimators
